// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

uint64_t pick_bits(struct fuzz *f, unsigned int bytes)
{
	uint64_t value = 0;

	for (; bytes; bytes--) {
		value <<= 8;
		if (!f->left)
			continue;
		value |= *f->next++;
		f->left--;
	}
	return value;
}

uint32_t pick(struct fuzz *f, uint32_t below)
{
	return pick_bits(f, below <= 0x100 ? 1 : below <= 0x10000 ? 2 : 4) % below;
}

uint64_t pick_number(struct fuzz *f)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 15, 16, 17, 63, 64, 255, 256, 4095, 4096, 0x10000, 0x7fffffff,
		0x80000000, 0xffffffff, 1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 4095,
	};
	uint64_t value = edges[pick(f, ARRAY_LEN(edges))];

	switch (pick(f, 4)) {
	case 0: return value + pick(f, 3) - 1;
	case 1: return pick_bits(f, 8);
	default: return value;
	}
}

uint64_t pick_pointer(struct fuzz *f)
{
	uintptr_t arena = (uintptr_t)f->arena;

	switch (pick(f, 8)) {
	case 0: return 0;
	case 1: return 0xffff888000000000ull;
	case 2: return UINT64_MAX - pick(f, 64);
	case 3: return arena + FUZZ_ARENA - pick(f, 64);
	default: return arena + pick(f, FUZZ_ARENA / 2);
	}
}

void corpus_add(struct corpus *c, const struct input *i)
{
	if (c->count == c->room) {
		c->room = 2 * c->room + 64;
		c->input = realloc(c->input, c->room * sizeof(*c->input));
		if (!c->input)
			abort();
	}
	c->input[c->count++] = *i;
}

void corpus_free(struct corpus *c)
{
	free(c->input);
	*c = (struct corpus){};
}

static bool parse(struct input *i, const char *text)
{
	unsigned int byte;
	int used;

	i->length = 0;
	while (i->length < FUZZ_INPUT_MAX && sscanf(text, "%2x%n", &byte, &used) == 1 && used == 2) {
		i->data[i->length++] = byte;
		text += used;
	}
	return i->length && (*text == '\n' || !*text);
}

int corpus_load(struct corpus *c, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	struct input i;

	if (!file)
		return -errno;
	while (getline(&line, &room, file) > 0)
		if (parse(&i, line))
			corpus_add(c, &i);
	free(line);
	fclose(file);
	return 0;
}

int corpus_save(const struct corpus *c, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	fputs("# SPDX-License-Identifier: GPL-2.0-only\n"
	      "# Inputs of selftests/guest/fuzz, of which each reached something new.\n", file);
	for (unsigned int i = 0; i < c->count; i++) {
		for (unsigned int at = 0; at < c->input[i].length; at++)
			fprintf(file, "%02x", c->input[i].data[at]);
		fputc('\n', file);
	}
	return fclose(file) ? -errno : 0;
}

/* Puts length bytes of from, or random ones, at a place of to; the rest moves on. */
static void insert(struct input *to, size_t at, const uint8_t *from, size_t length,
		   uint64_t *random)
{
	size_t tail = to->length - at;

	if (length > (size_t)FUZZ_INPUT_MAX - at)
		length = FUZZ_INPUT_MAX - at;
	if (tail > FUZZ_INPUT_MAX - at - length)
		tail = FUZZ_INPUT_MAX - at - length;
	memmove(to->data + at + length, to->data + at, tail);
	for (size_t i = 0; i < length; i++)
		to->data[at + i] = from ? from[i] : next_random(random);
	to->length = at + length + tail;
}

static void cut(struct input *to, size_t at, size_t length)
{
	if (length > to->length - at)
		length = to->length - at;
	memmove(to->data + at, to->data + at + length, to->length - at - length);
	to->length -= length;
}

static void mutate(struct input *to, const struct corpus *c, uint64_t *random)
{
	const struct input *other = &c->input[next_random(random) % c->count];
	size_t at = next_random(random) % (to->length + 1);
	size_t from = next_random(random) % other->length;
	size_t some = 1 + next_random(random) % 16;

	switch (next_random(random) % 6) {
	case 0:
		insert(to, at, NULL, some, random);
		break;
	case 1:
		insert(to, at, other->data + from, other->length - from, random);
		break;
	case 2:	/* goes on as another does */
		to->length = at;
		insert(to, at, other->data + from, other->length - from, random);
		break;
	case 3:
		cut(to, at, some);
		break;
	case 4:
		if (at < to->length)
			to->data[at] ^= 1u << (some & 7);
		break;
	default:
		for (; at < to->length && some; at++, some--)
			to->data[at] = next_random(random);
	}
}

void input_make(struct input *to, const struct corpus *c, uint64_t *random)
{
	*to = (struct input){};
	if (c->count && next_random(random) % 8)
		*to = c->input[next_random(random) % c->count];
	else
		insert(to, 0, NULL, 32 + next_random(random) % 224, random);
	for (unsigned int i = 1 + next_random(random) % 4; c->count && i; i--)
		mutate(to, c, random);
	if (!to->length)
		insert(to, 0, NULL, 64, random);
}
