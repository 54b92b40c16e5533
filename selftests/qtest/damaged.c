// SPDX-License-Identifier: GPL-2.0-only
/*
 * A saved state that was damaged is refused, or it is harmless: the machine lives, and
 * once the card is reset it works. OCF_FLIPS bits of the card's part are changed, one at a
 * time, from the seed OCF_SEED; `all` is one of every byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snapshot.h"

#define OPTIONS "faults=on,hbm=16M"
#define FLIPS 120
#define SEED 4711
#define NAME "0000:00:04.0/ocfabric"	/* of the card's state */
#define NAME_LEN (sizeof(NAME) - 1)
#define CYCLE_NS 4
#define KEY(q) ((q) | 5u << OCFABRIC_KEY_GENERATION_SHIFT)

static uint8_t *file;
static long file_size, begin, end;

static void read_file(void)
{
	FILE *f = fopen(snapshot_file(), "rb");

	if (!f || fseek(f, 0, SEEK_END) || (file_size = ftell(f)) <= 0)
		qtest_die("cannot read %s", snapshot_file());
	rewind(f);
	free(file);
	file = malloc((size_t)file_size);
	if (!file || fread(file, 1, (size_t)file_size, f) != (size_t)file_size)
		qtest_die("cannot read %s", snapshot_file());
	fclose(f);
}

/* The card's part: from behind its name to the foot of its section. */
static void find_state(void)
{
	uint8_t foot[5] = { 0x7e };
	uint8_t *at = file, *to;

	begin = end = 0;
	while ((at = memmem(at, (size_t)(file + file_size - at), NAME, NAME_LEN)) &&
	       at[NAME_LEN] == '-')
		at += NAME_LEN;	/* the HBM's name is longer */
	if (!at || at - file < 6)
		return;
	begin = at - file + (long)NAME_LEN;
	memcpy(foot + 1, at - 5, 4);
	to = memmem(at, (size_t)(file + file_size - at), foot, sizeof(foot));
	end = to ? to - file : 0;
}

static void put(long at, uint8_t byte)
{
	int fd = open(snapshot_file(), O_WRONLY);

	if (fd < 0 || pwrite(fd, &byte, 1, at) != 1)
		qtest_die("cannot write to %s", snapshot_file());
	close(fd);
}

/* A bit of everything is under way. */
static void busy(struct card *c)
{
	struct ocfabric_desc imm = card_write(0, 0, 100, 0, KEY(0));
	unsigned int q;

	card_configure(c, 3, 1000);
	card_msix(c);
	card_events(c);
	for (q = 0; q < 3; q++) {
		card_queue(c, q, 4);
		card_key(c, q, KEY(q));
	}
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(0) + 64, 9000, 0, 0);
	card_resume(c);
	card_recv(c, 1, 4);
	card_post(c, 2, card_write(4, 64, 64, 0, KEY(2)));
	card_post(c, 2, card_write(4, 2, 64, 0, KEY(2)));
	card_ring(c, 2, 2);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	imm.opcode = OCFABRIC_OP_WRITE_IMM;
	card_post(c, 0, imm);
	card_post(c, 0, imm);
	card_ring(c, 0, 2);
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
	card_post(c, 1, card_write(2, 0, 8, 0, KEY(1)));
	card_ring(c, 1, 2);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN),
	     1 << OCFABRIC_QP_LINK_SHIFT | 2);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), OCFABRIC_QP_ATTR_STATE);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE), OCFABRIC_QP_ERR);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_MODIFY);
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE | 2 << 8);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
}

/* Everything is touched that goes by what was loaded. */
static void use(struct card *c)
{
	uint32_t reg;
	unsigned int q;

	card_set_bars(c);
	for (q = 0; q < 16; q++) {
		card_ring(c, q, 1);
		card_ring_recv(c, q, 1);
		wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_LINK_RESET | q << 8);
	}
	wr32(c, OCFABRIC_REG_SNAPSHOT, 7);
	qtest_step_ns(c->q, 100000);
	for (reg = 0x100; reg < 0x400; reg += 8)
		rd64(c, reg);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	qtest_step_ns(c->q, 300000000);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 1);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 1);
}

/* From reset on it is a card like any other. */
static void works(struct card *c, long at)
{
	struct ocfabric_desc d = card_write(0, 64, 8, 0, 0);
	uint8_t status;

	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	d.flags = OCFABRIC_DESC_INLINE;
	memset(d.data, (int)(at & 0x7f) + 1, 8);
	status = card_run(c, 0, d).status;
	CHECK(status == OCFABRIC_VERDICT_COMMITTED, "byte %ld: verdict %u", at, status);
	CHECK(qtest_read(c->q, BAR_HBM + REGION(1) + 64, 1) == (uint64_t)(at & 0x7f) + 1,
	      "byte %ld", at);
	card_check_sums(c, 2);
}

/* Whether it was refused. */
static bool flip(struct card *c, long at, unsigned int bit)
{
	const char *said;
	bool refused;

	put(at, file[at] ^ (uint8_t)(1u << bit));
	said = snapshot_try_load(c, "state");
	refused = said;
	if (refused)
		CHECK(strstr(said, "Error") || strstr(said, "rror:"), "byte %ld: %.100s",
		      at, said);
	put(at, file[at]);
	snapshot_qmp(c, "{\"execute\":\"cont\"}");
	if (!refused)
		use(c);
	else
		card_set_bars(c);
	works(c, at);
	return refused;
}

/* Most of it are tables of zeroes: every other one is near something else. */
static long choose(uint64_t *random, unsigned long i, unsigned long n)
{
	long size = end - begin, part = size / (long)n;
	long at = begin + part * (long)i +
		  (long)(card_random(random) % (uint64_t)(part + 1)), to = at;

	while (i & 1 && to < end - 4 && !file[to])
		to++;
	return to < end ? to : at;
}

static struct card *saved(void)
{
	struct card *c = snapshot_start(OPTIONS);

	busy(c);
	snapshot_save(c, "state");
	read_file();
	find_state();
	CHECK(begin && end, "no state of the card in the file");
	return c;
}

static void flips(void)
{
	const char *flips = getenv("OCF_FLIPS"), *seed = getenv("OCF_SEED");
	uint64_t random = (seed ? strtoull(seed, NULL, 0) : SEED) | 1;
	struct card *c = saved();
	unsigned long n = flips ? strtoul(flips, NULL, 0) : FLIPS, i, refused = 0;

	if (flips && !strcmp(flips, "all"))
		n = (unsigned long)(end - begin);
	for (i = 0; i < n && begin && end && !tap_failures; i++)
		refused += flip(c, choose(&random, i, n),
				(unsigned int)(card_random(&random) >> 20) % 8);
	printf("# %lu of %lu refused, of %ld bytes; OCF_SEED=%s\n", refused, n,
	       end - begin, seed ? seed : "4711");
	printf("# soak: %lu damaged states\n", i);
	CHECK(refused && refused < n);
	snapshot_end(c);
}

/* Each of these words is another one: it is refused, and what is said names it. */
static void other_version(void)
{
	struct card *c = saved();
	long at = begin + 7;	/* behind the instance: the version's last byte */
	unsigned int i;

	for (i = 1; begin && i < 256; i <<= 1) {
		const char *said;

		put(at, file[at] ^ (uint8_t)i);
		said = snapshot_try_load(c, "state");
		CHECK(said && strstr(said, "ersion"), "version %u: %.200s", file[at] ^ i,
		      said ? said : "taken");
		put(at, file[at]);
	}
	CHECK(!snapshot_try_load(c, "state"), "it is whole again");
	snapshot_end(c);
}

static const struct tap_test tests[] = {
	{ "a changed bit is refused or harmless", flips },
	{ "another version is refused", other_version },
};

TAP_MAIN(tests)
