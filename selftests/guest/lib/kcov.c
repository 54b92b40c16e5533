// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "child.h"
#include "kcov.h"

#define WORDS		(1u << 16)
#define TRACE		"__sanitizer_cov_trace_pc"
#define CALL_OPERAND	4	/* the place is where the call returns to */

int kcov_start(struct kcov *k)
{
	*k = (struct kcov){ .fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC) };
	if (k->fd < 0)
		return -ENOENT;
	if (ioctl(k->fd, KCOV_INIT_TRACE, WORDS))
		return -errno;
	k->pc = mmap(NULL, WORDS * sizeof(*k->pc), PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (k->pc == MAP_FAILED || ioctl(k->fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return -errno;
	__atomic_store_n(k->pc, 0, __ATOMIC_RELAXED);
	return 0;
}

void kcov_stop(struct kcov *k)
{
	if (k->fd < 0)
		return;
	ioctl(k->fd, KCOV_DISABLE, 0);
	munmap(k->pc, WORDS * sizeof(*k->pc));
	close(k->fd);
	k->fd = -1;
}

unsigned int kcov_take(struct kcov *k, struct coverage *c)
{
	unsigned int gained = 0;
	unsigned long count;

	if (k->fd < 0)
		return 0;
	count = __atomic_load_n(k->pc, __ATOMIC_RELAXED);
	for (unsigned long i = 1; i <= count; i++) {
		size_t at = k->pc[i] - c->first;

		/* both threads may count a place; the sum is made of the table */
		if (at >= c->range || c->place[at] != PLACE_IS)
			continue;
		c->place[at] |= PLACE_REACHED;
		gained++;
	}
	__atomic_store_n(k->pc, 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&c->reached, gained, __ATOMIC_RELAXED);
	return gained;
}

/* The module's file, and its tables */
struct module {
	const uint8_t *data;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Shdr *section;
	const Elf64_Sym *symbol;
	unsigned int symbols;
	const char *symbol_name;
	const char *section_name;
};

static int module_open(struct module *m)
{
	struct utsname name;
	struct stat st;
	char path[256];
	int fd;

	uname(&name);
	snprintf(path, sizeof(path), "build/driver/%s/ocfabric.ko", name.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -ENOENT;
	*m = (struct module){ .size = st.st_size };
	m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m->data == MAP_FAILED)
		return -errno;
	m->header = (const void *)m->data;
	m->section = (const void *)(m->data + m->header->e_shoff);
	m->section_name = (const char *)m->data + m->section[m->header->e_shstrndx].sh_offset;
	for (unsigned int i = 0; i < m->header->e_shnum; i++) {
		const Elf64_Shdr *s = &m->section[i];

		if (s->sh_type != SHT_SYMTAB)
			continue;
		m->symbol = (const void *)(m->data + s->sh_offset);
		m->symbols = s->sh_size / sizeof(*m->symbol);
		m->symbol_name = (const char *)m->data + m->section[s->sh_link].sh_offset;
	}
	return m->symbol ? 0 : -ENOEXEC;
}

static void module_close(struct module *m)
{
	munmap((void *)m->data, m->size);
}

/* Where a section was loaded to; 0: it was not, or is gone. */
static uintptr_t section_at(const struct module *m, unsigned int index)
{
	const char *name = m->section_name + m->section[index].sh_name;
	char path[160], line[64] = "";

	if (strstr(name, ".init"))
		return 0;
	snprintf(path, sizeof(path), "/sys/module/ocfabric/sections/%s", name);
	return read_line(path, line, sizeof(line)) ? 0 : strtoull(line, NULL, 16);
}

typedef void (*place_fn)(void *arg, const struct module *m, unsigned int section,
			 size_t offset, uintptr_t address);

static void each_place(const struct module *m, place_fn fn, void *arg)
{
	for (unsigned int i = 0; i < m->header->e_shnum; i++) {
		const Elf64_Shdr *s = &m->section[i];
		const Elf64_Rela *r = (const void *)(m->data + s->sh_offset);
		const Elf64_Rela *end = r + s->sh_size / sizeof(*r);
		uintptr_t base;

		if (s->sh_type != SHT_RELA)
			continue;
		base = section_at(m, s->sh_info);
		for (; base && r < end; r++) {
			const Elf64_Sym *y = &m->symbol[ELF64_R_SYM(r->r_info)];

			if (!strcmp(m->symbol_name + y->st_name, TRACE))
				fn(arg, m, s->sh_info, r->r_offset,
				   base + r->r_offset + CALL_OPERAND);
		}
	}
}

struct range {
	uintptr_t first;
	uintptr_t last;
};

static void widen(void *arg, const struct module *m, unsigned int section, size_t offset,
		  uintptr_t address)
{
	struct range *r = arg;
	(void)m;
	(void)section;
	(void)offset;

	if (address < r->first)
		r->first = address;
	if (address > r->last)
		r->last = address;
}

static void enter(void *arg, const struct module *m, unsigned int section, size_t offset,
		  uintptr_t address)
{
	struct coverage *c = arg;
	(void)m;
	(void)section;
	(void)offset;

	c->place[address - c->first] = PLACE_IS;
	c->places++;
}

int coverage_open(struct coverage *c)
{
	struct range r = { .first = UINTPTR_MAX };
	struct module m;
	int ret = module_open(&m);

	*c = (struct coverage){};
	if (ret)
		return ret;
	each_place(&m, widen, &r);
	if (r.last) {
		c->first = r.first;
		c->range = r.last - r.first + 1;
		c->place = calloc(c->range, 1);
		each_place(&m, enter, c);
	}
	module_close(&m);
	return c->places ? 0 : -ENOENT;
}

void coverage_close(struct coverage *c)
{
	free(c->place);
	*c = (struct coverage){};
}

/* By symbol of the module */
struct function {
	unsigned int places;
	unsigned int reached;
};

struct tally {
	const struct coverage *coverage;
	struct function *function;
};

static void count(void *arg, const struct module *m, unsigned int section, size_t offset,
		  uintptr_t address)
{
	struct tally *t = arg;

	for (unsigned int i = 0; i < m->symbols; i++) {
		const Elf64_Sym *y = &m->symbol[i];

		if (ELF64_ST_TYPE(y->st_info) != STT_FUNC || y->st_shndx != section ||
		    offset < y->st_value || offset >= y->st_value + y->st_size)
			continue;
		t->function[i].places++;
		if (t->coverage->place[address - t->coverage->first] & PLACE_REACHED)
			t->function[i].reached++;
	}
}

void coverage_print_unreached(const struct coverage *c)
{
	struct tally t = { .coverage = c };
	struct module m;

	if (!c->places || module_open(&m))
		return;
	t.function = calloc(m.symbols, sizeof(*t.function));
	if (t.function)
		each_place(&m, count, &t);
	for (unsigned int i = 0; t.function && i < m.symbols; i++)
		if (t.function[i].reached < t.function[i].places)
			printf("# unreached: %u of %u in %s\n",
			       t.function[i].places - t.function[i].reached,
			       t.function[i].places, m.symbol_name + m.symbol[i].st_name);
	free(t.function);
	module_close(&m);
}
