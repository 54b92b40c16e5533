// SPDX-License-Identifier: GPL-2.0-only
/* Inputs of the device's fuzzer */
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define INPUTS_MAX	(1u << 20)

static const char *const kinds[] = {
	"setup", "config", "register", "access", "memory", "post", "receive",
	"ring", "command", "enable", "key", "qp", "change", "vector", "clock",
	"reset", "machine", "lie", "gone", "save",
};

void corpus_add(struct corpus *c, const struct input *in)
{
	if (c->nr == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		c->input = realloc(c->input, c->room * sizeof(*in));
		if (!c->input || c->room > INPUTS_MAX)
			qtest_die("no memory for inputs");
	}
	c->input[c->nr++] = *in;
}

/* Little-endian, as this machine: a number of operations, and these. */
void corpus_append(FILE *f, const struct input *in)
{
	fwrite(&in->nr, sizeof(in->nr), 1, f);
	fwrite(in->op, sizeof(in->op[0]), in->nr, f);
}

void corpus_load(struct corpus *c, const char *file)
{
	FILE *f = fopen(file, "rb");
	struct input in = { 0 };

	if (!f)
		qtest_die("%s: cannot be read", file);
	while (fread(&in.nr, sizeof(in.nr), 1, f) == 1) {
		if (in.nr > OPS_MAX ||
		    fread(in.op, sizeof(in.op[0]), in.nr, f) != in.nr)
			qtest_die("%s: no file of inputs", file);
		corpus_add(c, &in);
	}
	fclose(f);
}

/* Mostly values that mean something. */
static uint64_t nasty(uint64_t *random)
{
	static const uint64_t v[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 63, 64, 65, 127, 128, 255, 256,
		4095, 4096, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
		1ull << 32, ~0ull, ~63ull, ~4095ull, 1ull << 63, BAR_CONTROL,
		BAR_DOORBELL + OCFABRIC_DOORBELL_PAGE(0) +
			OCFABRIC_DOORBELL_TDRTP_INC,
		BAR_DOORBELL, BAR_HBM, 0xfee00000, TX_RING(0), TX_RING(1),
		CQ_RING(0), OWNER_LINE(0), QUEUE_STRUCT(0), RANGE_LIST(0),
		SOURCE(0), EVENT_RING, REGION_SIZE, REGION_SIZE - 4, 64 << 20,
		(64ull << 20) - 64, 0x4000000, OCFABRIC_KEY_REGION,
	};
	uint64_t r = card_random(random);

	switch (r & 7) {
	case 0:
		return card_random(random);
	case 1:
		return card_random(random) % 5000;
	default:
		return v[card_random(random) % (sizeof(v) / sizeof(v[0]))];
	}
}

static struct op new_op(uint64_t *random)
{
	uint64_t r = card_random(random);

	return (struct op){
		.kind = (uint8_t)(r % OP_KINDS), .a = (uint8_t)(r >> 8),
		.b = (uint8_t)(r >> 16), .c = (uint8_t)(r >> 24),
		.x = (uint32_t)nasty(random), .v = nasty(random),
	};
}

static void change_op(struct op *op, uint64_t *random)
{
	uint8_t *raw = (uint8_t *)op;
	uint64_t r = card_random(random);

	switch (r >> 32 & 7) {
	case 0:
		*op = new_op(random);
		break;
	case 1:
	case 2:
		op->v = nasty(random);
		break;
	case 3:
		op->x = (uint32_t)nasty(random);
		break;
	case 4:
		op->v += (r & 0xff) - 128;
		break;
	case 5:
		raw[1 + r % (sizeof(*op) - 1)] = (uint8_t)(r >> 8);
		break;
	default:
		raw[1 + r % (sizeof(*op) - 1)] ^= (uint8_t)(1 << (r >> 8 & 7));
		break;
	}
}

static void insert_op(struct input *in, const struct op *op, uint64_t *random)
{
	uint32_t at = (uint32_t)(card_random(random) % (in->nr + 1));

	if (in->nr == OPS_MAX)
		return;
	memmove(&in->op[at + 1], &in->op[at], (in->nr - at) * sizeof(*op));
	in->op[at] = *op;
	in->nr++;
}

static void remove_op(struct input *in, uint64_t *random)
{
	uint32_t at = (uint32_t)(card_random(random) % in->nr);

	in->nr--;
	memmove(&in->op[at], &in->op[at + 1], (in->nr - at) * sizeof(in->op[0]));
}

/* The start of one, and the end of another. */
static void join(struct input *in, const struct input *other, uint64_t *random)
{
	uint32_t from = other->nr ? (uint32_t)(card_random(random) % other->nr) : 0;

	if (in->nr)
		in->nr = 1 + (uint32_t)(card_random(random) % in->nr);
	while (in->nr < OPS_MAX && from < other->nr)
		in->op[in->nr++] = other->op[from++];
}

static void make_anew(struct input *in, uint64_t *random)
{
	uint32_t i;

	in->nr = 2 + (uint32_t)(card_random(random) % (OPS_MAX - 2));
	for (i = 0; i < in->nr; i++)
		in->op[i] = new_op(random);
	if (card_random(random) & 3)
		in->op[0].kind = OP_SETUP;
}

static const struct input *one_of(const struct corpus *c, uint64_t *random)
{
	return &c->input[card_random(random) % c->nr];
}

void input_make(struct input *in, const struct corpus *c, uint64_t *random)
{
	unsigned int changes = 1 + (unsigned int)(card_random(random) % 6);
	struct op op;

	if (!c->nr || !(card_random(random) & 15)) {
		make_anew(in, random);
		return;
	}
	*in = *one_of(c, random);
	while (changes--) {
		switch (card_random(random) & 7) {
		case 0:
			join(in, one_of(c, random), random);
			break;
		case 1:
			op = new_op(random);
			insert_op(in, &op, random);
			break;
		case 2:
			if (in->nr) {
				op = in->op[card_random(random) % in->nr];
				insert_op(in, &op, random);
			}
			break;
		case 3:
			if (in->nr > 1)
				remove_op(in, random);
			break;
		default:
			if (in->nr)
				change_op(&in->op[card_random(random) % in->nr],
					  random);
			break;
		}
	}
}

void input_print(const struct input *in)
{
	uint32_t i;

	for (i = 0; i < in->nr; i++)
		printf("# %-8s a %02x b %02x c %02x x %08x v %016llx\n",
		       kinds[in->op[i].kind % OP_KINDS], in->op[i].a, in->op[i].b,
		       in->op[i].c, in->op[i].x,
		       (unsigned long long)in->op[i].v);
}
