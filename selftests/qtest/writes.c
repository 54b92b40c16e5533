// SPDX-License-Identifier: GPL-2.0-only
/* Writes through the rings: sources, verdicts, completions, counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card.h"

static void fill(struct card *c, unsigned int q, size_t n, uint8_t seed)
{
	uint8_t buf[65536];
	size_t i;

	for (i = 0; i < n; i++)
		buf[i] = (uint8_t)(seed + i * 7 + (i >> 8));
	qtest_store(c->q, SOURCE(q), buf, n);
}

/* Whether n bytes at this place of the HBM are those of the source. */
static bool arrived(struct card *c, uint64_t hbm, unsigned int q,
		    uint64_t source, size_t n)
{
	uint8_t want[65536], got[65536];

	qtest_load(c->q, SOURCE(q) + source, want, n);
	qtest_load(c->q, BAR_HBM + hbm, got, n);
	return !memcmp(want, got, n);
}

static struct card *start(unsigned int n)
{
	struct card *c = card_start("");
	unsigned int q;

	card_configure(c, n, 0);
	for (q = 0; q < n; q++) {
		card_queue(c, q, 6);
		card_key(c, q, q);
	}
	return c;
}

static void sizes(void)
{
	static const uint32_t len[] = {
		1, 3, 4, 31, 32, 63, 64, 65, 127, 128, 1000, 4096, 4097, 65536,
	};
	struct card *c = start(2);
	struct ocfabric_cqe e;
	size_t i;

	fill(c, 0, 65536, 3);
	for (i = 0; i < sizeof(len) / sizeof(*len); i++) {
		uint64_t raddr = i * 4;

		e = card_run(c, 0, card_write(0, raddr, len[i], 0, 0));
		CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes == len[i],
		      "%u bytes: status %u, %u bytes", len[i], e.status, e.bytes);
		CHECK(e.index == i && e.opcode == OCFABRIC_OP_WRITE && !e.qpn);
		CHECK(arrived(c, REGION(1) + raddr, 0, 0, len[i]), "%u bytes",
		      len[i]);
	}
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_COMMITTED) == i);
	card_check_sums(c, 2);
	card_end(c);
}

static void inline_data(void)
{
	struct card *c = start(2);
	struct ocfabric_desc d = card_write(0, 64, 20, 0, 0);
	struct ocfabric_cqe e;
	uint8_t got[24];

	d.flags = OCFABRIC_DESC_INLINE;
	memcpy(d.data, "twenty bytes of data and", 24);
	e = card_run(c, 0, d);
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes == 20);
	qtest_load(c->q, BAR_HBM + REGION(1) + 64, got, sizeof(got));
	CHECK(!memcmp(got, "twenty bytes of data\0\0\0\0", 24));
	card_end(c);
}

static void own_region(void)
{
	struct card *c = start(3);
	struct ocfabric_cqe e;
	char got[16] = "";

	qtest_store(c->q, BAR_HBM + REGION(1) + 0x200, "out of the HBM", 15);
	e = card_run(c, 1, card_write(card_qpn(3, 1, 2), 0x40, 15, 0x200,
				      OCFABRIC_KEY_REGION));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "status %u", e.status);
	qtest_load(c->q, BAR_HBM + REGION(2) + 0x40, got, 15);
	CHECK(!strcmp(got, "out of the HBM"));
	e = card_run(c, 1, card_write(card_qpn(3, 1, 2), 0, 16, REGION_SIZE - 15,
				      OCFABRIC_KEY_REGION));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION,
	      "past one's region: status %u", e.status);
	card_end(c);
}

/* A source of three ranges, cut at odd places, and its bytes in order. */
static void ranges(void)
{
	static const struct ocfabric_hw_range r[] = {
		{ SOURCE(0) + 0x3000, 100 }, { SOURCE(0) + 0x1001, 1 },
		{ SOURCE(0), 4000 },
	};
	struct card *c = start(2);
	struct ocfabric_cqe e;

	fill(c, 0, 0x4000, 9);
	qtest_store(c->q, RANGE_LIST(0), r, sizeof(r));
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 3,
		       0x7000000000, 5) == OCFABRIC_RESULT_OK);
	e = card_run(c, 0, card_write(0, 4, 4001, 0x7000000000 + 50, 5));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "status %u", e.status);
	CHECK(arrived(c, REGION(1) + 4, 0, 0x3000 + 50, 50));
	CHECK(arrived(c, REGION(1) + 54, 0, 0x1001, 1));
	CHECK(arrived(c, REGION(1) + 55, 0, 0, 3950));
	e = card_run(c, 0, card_write(0, 4, 4001, 0x7000000000 + 101, 5));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION, "past the end");
	card_end(c);
}

static void verdicts(void)
{
	static const struct {
		uint64_t raddr;
		uint32_t qpn, len, beats;
		uint8_t status;
	} w[] = {
		{ 0, 7, 64, 0, OCFABRIC_VERDICT_UNMAPPED },
		{ 0, 0xffffff, 64, 0, OCFABRIC_VERDICT_UNMAPPED },
		{ 0, 0, 0, 0, OCFABRIC_VERDICT_ZERO_LENGTH },
		{ 2, 0, 64, 0, OCFABRIC_VERDICT_MISALIGNED },
		{ REGION_SIZE, 0, 1, 0, OCFABRIC_VERDICT_OUT_OF_BOUNDS },
		{ REGION_SIZE - 4, 0, 5, 0, OCFABRIC_VERDICT_OUT_OF_BOUNDS },
		{ ~3ull, 0, 64, 0, OCFABRIC_VERDICT_OUT_OF_BOUNDS },
		{ 0, 0, 129, 2, OCFABRIC_VERDICT_SHORT_PACKET },
		{ 0, 0, 64, 3, OCFABRIC_VERDICT_COMMITTED },
	};
	struct card *c = start(2);
	size_t i;

	for (i = 0; i < sizeof(w) / sizeof(*w); i++) {
		struct ocfabric_desc d = card_write(w[i].qpn, w[i].raddr, w[i].len,
						    0, 0);
		struct ocfabric_cqe e;

		d.beats = w[i].beats;
		e = card_run(c, 0, d);
		CHECK(e.status == w[i].status, "write %zu: status %u", i, e.status);
		CHECK(!!(e.flags & OCFABRIC_CQE_SHORT) ==
		      (e.status == OCFABRIC_VERDICT_SHORT_PACKET), "write %zu", i);
	}
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_OVERSIZE) == 2);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_BYTES) == 128 + 64);
	card_check_sums(c, 2);
	card_end(c);
}

static void unauthorized(void)
{
	struct card *c = start(2);
	struct ocfabric_cqe e;

	card_drain(c);
	wr64(c, OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_LENGTH, 256);
	card_resume(c);
	e = card_run(c, 0, card_write(0, 192, 64, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "status %u", e.status);
	e = card_run(c, 0, card_write(0, 192, 65, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_UNAUTHORIZED, "status %u", e.status);
	card_end(c);
}

static void misrouted(void)
{
	struct card *c = start(3);
	struct ocfabric_cqe e;

	card_drain(c);
	wr32(c, OCFABRIC_REG_CFG_FLAGS, OCFABRIC_CFG_UPSTREAM_QPNS);
	card_resume(c);
	/* link 1's own numbers: 3 stands for 0 to the sender, goes to 2 */
	e = card_run(c, 1, card_write(3, 0, 4, 0, 1));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "status %u", e.status);
	CHECK(e.flags & OCFABRIC_CQE_MISROUTED);
	CHECK(card_counter(c, 1, OCFABRIC_COUNTER_MISROUTED) == 1);
	card_end(c);
}

static void keys(void)
{
	struct card *c = start(2);
	struct ocfabric_cqe e;

	e = card_run(c, 0, card_write(0, 0, 64, 0, 1));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION,
	      "the other replica's key: status %u", e.status);
	e = card_run(c, 0, card_write(0, 0, 64, 0, 64));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION,
	      "another generation: status %u", e.status);
	e = card_run(c, 0, card_write(0, 0, 2, SOURCE_SIZE - 1, 0));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION, "past the end");
	e = card_run(c, 0, card_write(0, 0, 64, ~0ull - 31, 0));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION, "it wraps");
	e = card_run(c, 0, card_write(0, 0, 1, SOURCE_SIZE - 1, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "the last byte");
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_WRITES) == 1,
	      "a bad key takes no meta beat");
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 0) ==
	      OCFABRIC_RESULT_OK);
	e = card_run(c, 0, card_write(0, 0, 64, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION, "removed");
	card_end(c);
}

/* Behind a good key there may be no memory. */
static void source_errors(void)
{
	static const struct ocfabric_hw_range r[] = {
		{ SOURCE(0), 4096 }, { BAR_DOORBELL, 4096 },
		{ 0x700000000000, 4096 }, { ~0ull - 4095, 4095 },
	};
	struct card *c = start(2);
	struct ocfabric_cqe e;
	unsigned int i;

	qtest_store(c->q, RANGE_LIST(0), r, sizeof(r));
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 4, 0, 9) ==
	      OCFABRIC_RESULT_OK);
	for (i = 1; i < 4; i++) {
		e = card_run(c, 0, card_write(0, 0, 64, 4096 * i, 9));
		CHECK(e.status == OCFABRIC_VERDICT_DMA_ERROR && !e.bytes,
		      "range %u: status %u", i, e.status);
	}
	e = card_run(c, 0, card_write(0, 0, 4097, 0, 9));
	CHECK(e.status == OCFABRIC_VERDICT_DMA_ERROR, "the second half");
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_DMA_ERROR) == 4);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_BYTES) == 0);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	CHECK(!(rd32(c, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_DOORBELL),
	      "no access reaches the doorbells");
	card_check_sums(c, 2);
	card_end(c);
}

static void unsignaled(void)
{
	struct card *c = start(2);
	struct ocfabric_desc good = card_write(0, 0, 64, 0, 0);
	struct ocfabric_desc bad = card_write(0, 2, 64, 0, 0);
	struct ocfabric_cqe e;

	good.flags = bad.flags = OCFABRIC_DESC_UNSIGNALED;
	card_post(c, 0, good);
	card_post(c, 0, bad);
	card_post(c, 0, good);
	card_post(c, 0, (struct ocfabric_desc){ .opcode = OCFABRIC_OP_NOP });
	card_ring(c, 0, 4);
	e = card_take(c, 0);
	CHECK(e.status == OCFABRIC_VERDICT_MISALIGNED && e.index == 1,
	      "status %u of %u", e.status, e.index);
	e = card_take(c, 0);
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.index == 3 && !e.bytes &&
	      e.opcode == OCFABRIC_OP_NOP && !e.qpn);
	CHECK(!card_has(c, 0));
	card_end(c);
}

static void rejects(void)
{
	struct card *c = start(2);
	uint32_t at = OCFABRIC_REG_REJECT(0, 0);
	unsigned int i;

	for (i = 0; i < 20; i++)
		card_run(c, 0, card_write(0, 4 * i + 1, 64, 0, 0));
	CHECK(!rd64(c, at), "before the snapshot");
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_REJECTS);
	for (i = 0; i < 16; i++) {
		uint64_t seq = rd64(c, OCFABRIC_REG_REJECT(0, i));

		CHECK(seq == (i < 4 ? i + 17 : i + 1), "%u: %llu", i,
		      (unsigned long long)seq);
		CHECK(rd64(c, OCFABRIC_REG_REJECT(0, i) + 8) == 4 * (seq - 1) + 1);
	}
	CHECK(rd32(c, at + 24) == 64 && rd32(c, at + 28) == 1, "len and beats");
	CHECK(rd32(c, at + 32) == 0, "qpn");
	CHECK(rd32(c, at + 36) == rd32(c, OCFABRIC_REG_GENERATION));
	CHECK(rd32(c, at + 40) == (OCFABRIC_OP_WRITE |
				   OCFABRIC_VERDICT_MISALIGNED << 16 | 1 << 24),
	      "0x%x", rd32(c, at + 40));
	CHECK(!rd64(c, OCFABRIC_REG_REJECT(1, 0)), "the other link");
	card_end(c);
}

/* The snapshot holds still while the counters move. */
static void snapshot(void)
{
	struct card *c = start(2);
	uint64_t clock;

	card_run(c, 0, card_write(0, 0, 64, 0, 0));
	card_run(c, 1, card_write(1, 0, 4, 0, 1));
	CHECK(!rd64(c, OCFABRIC_REG_COUNTER(0, OCFABRIC_COUNTER_WRITES)));
	qtest_step_ns(c->q, 4000);
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	clock = rd64(c, OCFABRIC_REG_SNAPSHOT_CLOCK);
	qtest_step_ns(c->q, 4000);
	card_run(c, 0, card_write(0, 0, 64, 0, 0));
	CHECK(rd64(c, OCFABRIC_REG_COUNTER(0, OCFABRIC_COUNTER_WRITES)) == 1);
	CHECK(rd64(c, OCFABRIC_REG_COUNTER(1, OCFABRIC_COUNTER_BYTES)) == 4);
	CHECK(rd64(c, OCFABRIC_REG_SNAPSHOT_CLOCK) == clock && clock == 1000,
	      "clock %llu", (unsigned long long)clock);
	card_drain(c);
	wr32(c, OCFABRIC_REG_COUNTER_RESET, 1);
	card_resume(c);
	CHECK(!card_counter(c, 0, OCFABRIC_COUNTER_WRITES));
	card_end(c);
}

/* The HBM is a file: what is written is in it, and the other way round. */
static void hbm_backend(void)
{
	const char *dir = getenv("TMPDIR");
	char path[64], object[160];
	const char *more[] = { "-object", object, NULL };
	struct ocfabric_cqe e;
	struct card *c;
	uint64_t word = 0;
	int fd;

	snprintf(path, sizeof(path), "%.40s/ocf-hbm-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		qtest_die("cannot make %s", path);
	snprintf(object, sizeof(object), "memory-backend-file,id=hbm,share=on,"
		 "mem-path=%s,size=4M", path);
	c = card_start_with("memdev=hbm", more);
	unlink(path);
	CHECK(rd64(c, OCFABRIC_REG_HBM_SIZE) == 4 << 20);
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	qtest_write(c->q, SOURCE(0), 8, 0x0123456789abcdef);
	e = card_run(c, 0, card_write(0, 40, 8, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(pread(fd, &word, 8, REGION(1) + 40) == 8 &&
	      word == 0x0123456789abcdef);
	word = 77;
	CHECK(pwrite(fd, &word, 8, 0x3000) == 8);
	CHECK(qtest_read(c->q, BAR_HBM + 0x3000, 8) == 77);
	card_end(c);
	close(fd);
}

/* Sixteen queues at once, each with a full ring, across several laps. */
static void all_queues(void)
{
	struct card *c = card_start("");
	unsigned int q, i, lap;

	card_configure(c, 16, 0);
	for (q = 0; q < 16; q++) {
		card_queue(c, q, 4);
		card_key(c, q, q | 3 << OCFABRIC_KEY_GENERATION_SHIFT);
	}
	for (lap = 0; lap < 6; lap++) {
		for (q = 0; q < 16; q++) {
			for (i = 0; i < 16; i++)
				card_post(c, q, card_write(
					card_qpn(16, q, (q + 1) % 16), 64 * i, 64,
					64 * i, q | 3 << 6));
			card_ring(c, q, 16);
		}
		for (q = 0; q < 16; q++) {
			for (i = 0; i < 16; i++) {
				struct ocfabric_cqe e = card_take(c, q);

				CHECK(e.index == i && !e.status,
				      "queue %u: index %u status %u", q, e.index,
				      e.status);
			}
		}
	}
	for (q = 0; q < 16; q++)
		CHECK(card_counter(c, q, OCFABRIC_COUNTER_COMMITTED) == 96);
	card_check_sums(c, 16);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "writes of all sizes arrive whole", sizes },
	{ "inline data", inline_data },
	{ "source in one's own region", own_region },
	{ "source of several ranges", ranges },
	{ "each verdict", verdicts },
	{ "outside of the window", unauthorized },
	{ "misrouted by upstream QPNs", misrouted },
	{ "bad keys are local_protection and count nothing", keys },
	{ "unreadable sources are dma_error", source_errors },
	{ "unsignaled hides successes only", unsignaled },
	{ "ring of rejected writes", rejects },
	{ "counters are read as of one instant", snapshot },
	{ "the HBM in a memory backend", hbm_backend },
	{ "all queues, several laps", all_queues },
};

TAP_MAIN(tests)
