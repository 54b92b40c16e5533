// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenario_gen.h"

#define MAX_WINDOWS	256

struct window {
	unsigned int src, dst;
	uint64_t offset, length;
};

struct gen {
	uint64_t rng;
	FILE *out;
	unsigned int n;
	uint64_t base[16], size[16];
	struct window window[MAX_WINDOWS];
	unsigned int windows;
};

#define PICK(g, table)	((table)[below(g, sizeof(table) / sizeof((table)[0]))])

static uint64_t next(struct gen *g)
{
	uint64_t z = g->rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint64_t below(struct gen *g, uint64_t n)
{
	return n ? next(g) % n : 0;
}

static bool one_in(struct gen *g, unsigned int n)
{
	return !below(g, n);
}

static unsigned int replica(struct gen *g)
{
	if (g->n >= 1 && g->n <= 16 && !one_in(g, 40))
		return (unsigned int)below(g, g->n);
	return (unsigned int)below(g, 16);
}

static void set_n(struct gen *g)
{
	static const unsigned int odd[] = { 0, 1, 17, 255 };

	g->n = one_in(g, 25) ? PICK(g, odd) :
			       2 + (unsigned int)below(g, one_in(g, 3) ? 15 : 3);
	fprintf(g->out, "n %u\n", g->n);
}

static void set_region(struct gen *g, unsigned int i)
{
	static const uint64_t sizes[] = {
		0x40, 0x100, 0x1000, 0x1040, 0x1004, 0x103f, 0x2000, 0x4000,
	};
	uint64_t base = below(g, SCENARIO_GEN_HBM / 64) * 64;
	uint64_t size = PICK(g, sizes);

	if (one_in(g, 30))
		base += 1 + below(g, 63);
	if (one_in(g, 40))
		base = 0xffffffffffffff00ULL - below(g, 4) * 64;
	if (one_in(g, 60))
		size = one_in(g, 2) ? 0 : UINT64_MAX - below(g, 3);
	g->base[i] = base;
	g->size[i] = size;
	fprintf(g->out, "region %u base 0x%" PRIx64 " size 0x%" PRIx64 "\n", i,
		base, size);
}

static void print_window(struct gen *g, const char *word,
			 const struct window *w)
{
	fprintf(g->out, "%s %u %u 0x%" PRIx64 " 0x%" PRIx64 "\n", word, w->src,
		w->dst, w->offset, w->length);
}

static void add_window(struct gen *g, unsigned int src, unsigned int dst)
{
	struct window w = { src, dst, 0, g->size[dst] };
	unsigned int i;

	if (g->windows == MAX_WINDOWS)
		return;
	if (one_in(g, 3)) {
		w.offset = below(g, g->size[dst]);
		if (!one_in(g, 4))
			w.offset &= ~3ULL;
		w.length = below(g, g->size[dst] - w.offset + 64);
	}
	if (one_in(g, 50))
		w.offset = UINT64_MAX - below(g, 512);
	if (g->windows && one_in(g, 6)) {	/* one that touches another */
		w = g->window[below(g, g->windows)];
		w.offset += w.length;
	}
	print_window(g, "window", &w);
	for (i = 0; i < g->windows; i++)
		if (g->window[i].src == w.src && g->window[i].dst == w.dst &&
		    g->window[i].offset == w.offset &&
		    g->window[i].length == w.length)
			return;
	g->window[g->windows++] = w;
}

static void del_window(struct gen *g)
{
	unsigned int i = (unsigned int)below(g, g->windows);

	if (!g->windows)
		return;
	print_window(g, "unwindow", &g->window[i]);
	g->window[i] = g->window[--g->windows];
}

static void set_conn(struct gen *g)
{
	if (one_in(g, 4))
		fprintf(g->out, "conn %u %u none\n", replica(g),
			(unsigned int)below(g, 256));
	else
		fprintf(g->out, "conn %u %u %u\n", replica(g),
			(unsigned int)below(g, 256), replica(g));
}

static void set_fault(struct gen *g)
{
	static const char *const faults[] = {
		"slverr", "decerr", "none", "delay 0", "delay 1", "delay 70",
		"delay 1000000",
	};
	unsigned int dst = replica(g);

	fprintf(g->out, "fault %u 0x%" PRIx64 " %s\n", dst,
		below(g, g->size[dst] + 64), PICK(g, faults));
}

static void set_latency(struct gen *g)
{
	static const unsigned int cycles[] = { 0, 0, 1, 3, 100, 4000000000u };

	fprintf(g->out, "latency %u\n", PICK(g, cycles));
}

static void start(struct gen *g)
{
	unsigned int i, j, faults;

	fprintf(g->out, "ocfabric-scenario 1\nhbm 0x%x\n", SCENARIO_GEN_HBM);
	set_n(g);
	for (i = 0; i < 16; i++)
		set_region(g, i);
	fputs("conn default\n", g->out);
	for (i = 0; i < 16; i++)
		for (j = 0; j < 16; j++)
			if (i < g->n && j < g->n &&
			    (i != j || one_in(g, 20)) && !one_in(g, 8))
				add_window(g, i, j);
	fprintf(g->out, "upstream_qpns %u\n", one_in(g, 3));
	set_latency(g);
	faults = one_in(g, 2) ? (unsigned int)below(g, 20) : 0;
	for (i = 0; i < faults; i++)
		set_fault(g);
}

static void change(struct gen *g)
{
	switch (below(g, 9)) {
	case 0:
		if (!one_in(g, 3))
			break;
		set_n(g);
		if (!one_in(g, 3))
			fputs("conn default\n", g->out);
		break;
	case 1:
		set_region(g, replica(g));
		break;
	case 2:
	case 3:
		add_window(g, replica(g), replica(g));
		break;
	case 4:
		del_window(g);
		break;
	case 5:
		set_conn(g);
		break;
	case 6:
		set_latency(g);
		break;
	case 7:
		fprintf(g->out, "upstream_qpns %u\n", one_in(g, 2));
		break;
	default:
		set_fault(g);
		break;
	}
}

static uint32_t length(struct gen *g)
{
	static const uint32_t edges[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 60, 61, 62, 63,
		64, 65, 66, 67, 68, 100, 127, 128, 129, 191, 192, 193, 255,
		256, 257, 1000, 4095, 4096, 4097,
	};

	if (one_in(g, 4))
		return (uint32_t)below(g, one_in(g, 8) ? 5000 : 300);
	return one_in(g, 300) ? 1u << 26 : PICK(g, edges);
}

/* A place for len bytes in the window, or at its edges. */
static uint64_t in_window(struct gen *g, const struct window *w, uint32_t len)
{
	uint64_t room = w->length > len ? w->length - len : 0;

	if (one_in(g, 6))
		return w->offset + room;
	if (one_in(g, 20))
		return w->offset + room + 4;
	return w->offset + (below(g, room + 4) & ~3ULL);
}

static uint64_t raddr(struct gen *g, unsigned int dst, uint32_t len)
{
	static const uint64_t huge[] = {
		UINT64_MAX - 3, UINT64_MAX - 63, 1ULL << 63, 0xfffffffc,
	};
	uint64_t size = g->size[dst];
	uint64_t at = below(g, size > len ? size - len : size) & ~3ULL;

	if (one_in(g, 8))
		at = size - len;		/* up to the end, or wraps */
	if (one_in(g, 30))
		at += below(g, 9) - 4;
	if (one_in(g, 60))
		at = PICK(g, huge);
	return one_in(g, 12) ? at & ~63ULL : at;
}

static void beats(struct gen *g, uint32_t len)
{
	uint32_t right = (len + 63) / 64;
	uint32_t b = 1 + (uint32_t)below(g, right + 3);

	if (!one_in(g, 5))
		return;
	if (one_in(g, 50))
		b = 0xffffff;
	fprintf(g->out, " beats %u", b);
}

static void print_write(struct gen *g)
{
	unsigned int link = replica(g), dst = replica(g);
	uint32_t qpn, len = length(g);
	uint64_t at = raddr(g, dst, len);

	if (g->windows && !one_in(g, 5)) {
		const struct window *w = &g->window[below(g, g->windows)];

		link = w->src;
		dst = w->dst;
		at = one_in(g, 3) ? raddr(g, dst, len) : in_window(g, w, len);
	}
	qpn = (g->n - 1) * link + (dst < link ? dst : dst - 1);
	if (one_in(g, 20))
		qpn = (uint32_t)below(g, one_in(g, 4) ? 1 << 24 : 256);
	fprintf(g->out, "write %u %u 0x%" PRIx64 " %u", link, qpn & 0xffffff,
		at, len);
	beats(g, len);
	fprintf(g->out, " lcg:%u\n", (uint32_t)next(g));
}

char *scenario_generate(uint64_t seed, unsigned int writes)
{
	struct gen g = { .rng = seed };
	char *text = NULL;
	size_t size;

	g.out = open_memstream(&text, &size);
	if (!g.out)
		abort();
	start(&g);
	while (writes--) {
		if (one_in(&g, 12))
			change(&g);
		print_write(&g);
	}
	fclose(g.out);
	return text;
}
