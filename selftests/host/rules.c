// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules, one by one: each check fails when it should, at its edge, with
 * its counter, and before the checks that come after it.
 */
#include "card.h"
#include "tap.h"

#define SIZE 0x1000u

static struct test_card *card;

static struct ocf_judgement judge(unsigned int link, struct ocf_write w)
{
	struct ocf_subject s = {
		.cfg = &card->card.config,
		.link = link,
		.w = &w,
	};
	struct ocf_judgement j = ocf_judge(&s);
	struct ocf_explanation e;

	ocf_explain(&s, &e);
	CHECK(e.judgement.verdict == j.verdict && e.judgement.peer == j.peer &&
	      e.judgement.misrouted == j.misrouted, "explain and judge differ");
	CHECK((e.decides == OCF_NR_CHECKS) == (j.verdict == OCF_COMMITTED));
	if (e.decides != OCF_NR_CHECKS)
		CHECK(ocf_check_verdict(e.decides) == j.verdict);
	return j;
}

static enum ocf_counter verdict(unsigned int link, uint32_t qpn,
				uint64_t raddr, uint32_t len)
{
	struct ocf_write w = { .qpn = qpn, .raddr = raddr, .len = len };

	return judge(link, w).verdict;
}

#define EXPECT(link, qpn, raddr, len, v)				\
	CHECK(verdict(link, qpn, raddr, len) == (v), "is %s",		\
	      ocf_counter_names[verdict(link, qpn, raddr, len)])

static void start(uint32_t n)
{
	card = test_card_new(0x40000);
	test_card_setup(card, n, 0, SIZE);
}

static void stop(void)
{
	test_card_free(card);
}

static struct ocf_config *config(void)
{
	return test_card_drain(card);
}

static void member(void)
{
	static const uint32_t bad[] = { 0, 1, 17, 255, 0x80000000u, ~0u };
	unsigned int i;

	start(3);
	EXPECT(0, 0, 0, 64, OCF_COMMITTED);
	EXPECT(3, 0, 0, 64, OCF_BAD_CONFIG);
	EXPECT(15, 0, 0, 64, OCF_BAD_CONFIG);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		config()->n = bad[i];
		test_card_resume(card);
		/* before unmapped, and with no peer looked up */
		EXPECT(0, 0, 0, 64, OCF_BAD_CONFIG);
		EXPECT(0, 200, 1, 0, OCF_BAD_CONFIG);
		CHECK(judge(0, (struct ocf_write){ .len = 4 }).peer ==
		      OCF_NO_PEER);
		CHECK(!judge(0, (struct ocf_write){ .len = 4 }).misrouted);
	}
	stop();
}

static void mapped(void)
{
	start(3);
	EXPECT(0, 2, 0, 64, OCF_UNMAPPED);
	EXPECT(0, 255, 1, 0, OCF_UNMAPPED);
	EXPECT(0, 256, 0, 64, OCF_UNMAPPED);
	EXPECT(0, 0xffffff, 0, 64, OCF_UNMAPPED);
	config()->conn[0][255] = 1;
	test_card_resume(card);
	EXPECT(0, 255, 0, 64, OCF_COMMITTED);
	stop();
}

static void qp_may_send(void)
{
	uint64_t stopped[4] = { 0, 0, 0, 1ULL << 63 };
	struct ocf_write w = { .qpn = 255, .len = 0 };
	struct ocf_subject s = { .link = 0, .w = &w, .qp_stopped = stopped };

	start(3);
	config()->conn[0][255] = 0;
	test_card_resume(card);
	s.cfg = &card->card.config;
	/* before bad_config of the peer, and before zero_length */
	CHECK(ocf_judge(&s).verdict == OCF_QP_STATE);
	CHECK(ocf_judge(&s).peer == 0);
	stopped[3] = 1;
	CHECK(ocf_judge(&s).verdict == OCF_BAD_CONFIG);
	stop();
}

static void peer(void)
{
	struct ocf_config *cfg;

	start(3);
	cfg = config();
	cfg->conn[0][9] = 0;
	cfg->conn[0][10] = 3;
	cfg->conn[0][11] = 15;
	cfg->conn[0][12] = 200;
	cfg->region[2].base = 0x2020;
	test_card_resume(card);
	EXPECT(0, 9, 1, 0, OCF_BAD_CONFIG);
	EXPECT(0, 10, 1, 0, OCF_BAD_CONFIG);
	EXPECT(0, 11, 1, 0, OCF_BAD_CONFIG);
	EXPECT(0, 12, 1, 0, OCF_BAD_CONFIG);
	EXPECT(0, test_qpn(3, 0, 2), 0, 64, OCF_BAD_CONFIG);
	/* one's own base plays no part */
	EXPECT(2, test_qpn(3, 2, 1), 0, 64, OCF_COMMITTED);
	stop();
}

static void length_then_alignment(void)
{
	start(2);
	EXPECT(0, 0, 1, 0, OCF_ZERO_LENGTH);
	EXPECT(0, 0, 1, 4, OCF_MISALIGNED);
	EXPECT(0, 0, 2, 4, OCF_MISALIGNED);
	EXPECT(0, 0, 3, 0x4000000, OCF_MISALIGNED);
	EXPECT(0, 0, 4, 1, OCF_COMMITTED);
	stop();
}

static void bounds(void)
{
	start(2);
	EXPECT(0, 0, SIZE - 4, 4, OCF_COMMITTED);
	EXPECT(0, 0, SIZE - 4, 5, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, SIZE, 1, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0, SIZE + 1, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0, ~0u, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0xfffffffffffffffcULL, 4, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0xfffffffffffffffcULL, 8, OCF_OUT_OF_BOUNDS);
	config()->region[1].size = 0;
	test_card_resume(card);
	EXPECT(0, 0, 0, 1, OCF_OUT_OF_BOUNDS);
	stop();
}

static void address_wraps(void)
{
	struct ocf_config *cfg;

	start(2);
	cfg = config();
	cfg->region[1].base = 0xffffffffffffff00ULL;
	cfg->region[1].size = 0xffffffffffffffffULL;
	test_card_window(card, 0, 1, 0, 0xffffffffffffffffULL);
	test_card_resume(card);
	EXPECT(0, 0, 0, 0x100, OCF_COMMITTED);
	EXPECT(0, 0, 0, 0x101, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0xfc, 4, OCF_COMMITTED);
	EXPECT(0, 0, 0xfc, 5, OCF_OUT_OF_BOUNDS);
	EXPECT(0, 0, 0x100, 1, OCF_OUT_OF_BOUNDS);
	/* the whole region's last byte would be 2^64 - 1 */
	EXPECT(0, 0, 0xfffffffffffffff8ULL, 8, OCF_OUT_OF_BOUNDS);
	stop();
}

static void windows_alone(void)
{
	start(2);
	memset(card->windows, 0, sizeof(card->windows));
	config();
	test_card_window(card, 0, 1, 0x100, 0x100);
	test_card_window(card, 0, 1, 0x200, 0x100);	/* adjacent */
	test_card_window(card, 0, 1, 0x100, 0x100);	/* twice */
	test_card_window(card, 0, 1, 0x400, 0);		/* holds nothing */
	test_card_window(card, 1, 0, 0, SIZE);
	test_card_resume(card);
	EXPECT(0, 0, 0x100, 0x100, OCF_COMMITTED);
	EXPECT(0, 0, 0x200, 0x100, OCF_COMMITTED);
	EXPECT(0, 0, 0xfc, 4, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0xfc, 8, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0x1fc, 4, OCF_COMMITTED);
	EXPECT(0, 0, 0x1fc, 8, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0x2fc, 4, OCF_COMMITTED);
	EXPECT(0, 0, 0x2fc, 5, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0x300, 1, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0x400, 1, OCF_UNAUTHORIZED);
	stop();
}

/* A wide window that starts early decides, though narrow ones start later. */
static void windows_nested(void)
{
	start(2);
	memset(card->windows, 0, sizeof(card->windows));
	config();
	test_card_window(card, 0, 1, 0x300, 0x10);
	test_card_window(card, 0, 1, 0x100, 0x800);
	test_card_window(card, 0, 1, 0x200, 0x10);
	test_card_resume(card);
	EXPECT(0, 0, 0x308, 0x40, OCF_COMMITTED);
	EXPECT(0, 0, 0x8fc, 4, OCF_COMMITTED);
	EXPECT(0, 0, 0x8fc, 5, OCF_UNAUTHORIZED);
	config();
	memset(card->windows, 0, sizeof(card->windows));
	test_card_resume(card);
	EXPECT(0, 0, 0x308, 4, OCF_UNAUTHORIZED);
	stop();
}

/* What one pair may do is nothing to its neighbours in the table. */
static void windows_of_other_pairs(void)
{
	start(4);
	memset(card->windows, 0, sizeof(card->windows));
	config();
	test_card_window(card, 1, 0, 0, SIZE);
	test_card_window(card, 1, 2, 0x100, 0x40);
	test_card_window(card, 1, 3, 0, SIZE);
	test_card_window(card, 0, 2, 0, SIZE);
	test_card_window(card, 2, 0, 0x200, 0x40);
	test_card_resume(card);
	EXPECT(1, test_qpn(4, 1, 0), 0, SIZE, OCF_COMMITTED);
	EXPECT(1, test_qpn(4, 1, 2), 0x100, 0x40, OCF_COMMITTED);
	EXPECT(1, test_qpn(4, 1, 2), 0x100, 0x41, OCF_UNAUTHORIZED);
	EXPECT(1, test_qpn(4, 1, 2), 0xfc, 4, OCF_UNAUTHORIZED);
	EXPECT(2, test_qpn(4, 2, 0), 0x200, 0x40, OCF_COMMITTED);
	EXPECT(2, test_qpn(4, 2, 0), 0x240, 4, OCF_UNAUTHORIZED);
	EXPECT(0, test_qpn(4, 0, 1), 0, 4, OCF_UNAUTHORIZED);
	EXPECT(3, test_qpn(4, 3, 1), 0, 4, OCF_UNAUTHORIZED);
	stop();
}

static void windows_removed(void)
{
	unsigned int i;

	start(2);
	EXPECT(0, 0, 0, 4, OCF_COMMITTED);
	config();
	for (i = 0; i < TEST_WINDOWS; i++)
		card->windows[i].valid = false;
	test_card_resume(card);
	EXPECT(0, 0, 0, 4, OCF_UNAUTHORIZED);
	stop();
}

/* A window past 2^64 is an interval of numbers; it does not start again at 0. */
static void window_wraps(void)
{
	struct ocf_config *cfg;

	start(2);
	memset(card->windows, 0, sizeof(card->windows));
	cfg = config();
	cfg->region[1].base = 0;
	cfg->region[1].size = ~0ULL;
	test_card_window(card, 0, 1, 0xffffffffffffff00ULL, 0x200);
	test_card_resume(card);
	EXPECT(0, 0, 0, 4, OCF_UNAUTHORIZED);
	EXPECT(0, 0, 0xffffffffffffff00ULL, 0x80, OCF_COMMITTED);
	EXPECT(0, 0, 0xfffffffffffffefcULL, 8, OCF_UNAUTHORIZED);
	stop();
}

static void windows_of_nobody(void)
{
	start(2);
	memset(card->windows, 0, sizeof(card->windows));
	config();
	test_card_window(card, 16, 1, 0, SIZE);
	test_card_window(card, 0, 16, 0, SIZE);
	test_card_window(card, 255, 255, 0, SIZE);
	test_card_resume(card);
	EXPECT(0, 0, 0, 4, OCF_UNAUTHORIZED);
	stop();
}

static bool none_armed(void *opaque, unsigned int link, unsigned int replica)
{
	*(unsigned int *)opaque = replica + 16 * link;
	return false;
}

static void immediate_needs_a_receiver(void)
{
	unsigned int asked = ~0u;
	struct ocf_write w = { .len = 4, .kind = OCF_KIND_WRITE_IMM };
	struct ocf_subject s = { .w = &w, .armed = none_armed,
				 .opaque = &asked };

	start(2);
	s.cfg = &card->card.config;
	CHECK(ocf_judge(&s).verdict == OCF_RNR && asked == 1);
	asked = ~0u;
	w.raddr = SIZE;
	CHECK(ocf_judge(&s).verdict == OCF_OUT_OF_BOUNDS && asked == ~0u,
	      "nothing is reserved for a write that another check rejects");
	w.raddr = 0;
	w.kind = OCF_KIND_WRITE;
	CHECK(ocf_judge(&s).verdict == OCF_COMMITTED && asked == ~0u);
	stop();
}

static void semaphores(void)
{
	struct ocf_write w = { .kind = OCF_KIND_SEM, .raddr = 3, .len = 0 };

	start(2);
	w.sem = 5;
	CHECK(judge(0, w).verdict == OCF_UNAUTHORIZED);
	config();
	card->windows[0].sem_first = 5;
	card->windows[0].sem_count = 2;
	card->windows[1].sem_first = 60;
	card->windows[1].sem_count = 255;
	test_card_resume(card);
	CHECK(judge(0, w).verdict == OCF_COMMITTED,
	      "neither length nor alignment matter to a semaphore");
	w.sem = 6;
	CHECK(judge(0, w).verdict == OCF_COMMITTED);
	w.sem = 7;
	CHECK(judge(0, w).verdict == OCF_UNAUTHORIZED);
	w.sem = 4;
	CHECK(judge(0, w).verdict == OCF_UNAUTHORIZED);
	w.sem = 63;
	CHECK(judge(0, w).verdict == OCF_UNAUTHORIZED);
	w.qpn = 1;
	CHECK(judge(1, w).verdict == OCF_COMMITTED);
	w.sem = 64;
	CHECK(judge(1, w).verdict == OCF_UNAUTHORIZED);
	w.sem = 0xffff;
	CHECK(judge(1, w).verdict == OCF_UNAUTHORIZED);
	w.qpn = 7;
	CHECK(judge(1, w).verdict == OCF_UNMAPPED);
	stop();
}

/* Every QPN of the default table of every n, by the words of the contract. */
static void default_table(void)
{
	uint32_t n, qpn, expected;
	unsigned int link, r;

	for (n = 0; n <= 20; n++) {
		start(n);
		for (link = 0; link < OCF_REPLICAS; link++) {
			for (qpn = 0; qpn < OCF_QPNS; qpn++) {
				expected = OCF_NO_PEER;
				for (r = 0; r + 1 < n; r++)
					if (link < n && n >= 2 && n <= 16 &&
					    qpn == (n - 1) * link + r)
						expected = r < link ? r : r + 1;
				CHECK(card->card.config.conn[link][qpn] ==
				      expected, "n %u link %u qpn %u", n, link,
				      qpn);
			}
		}
		stop();
	}
}

/* Sends by upstream's numbering: none reaches the replica that was meant. */
static void upstream_numbering(void)
{
	uint32_t n, unmapped, wrong;
	struct ocf_judgement j;
	unsigned int i, to;

	for (n = 2; n <= 16; n++) {
		unmapped = wrong = 0;
		start(n);
		config()->upstream_qpns = true;
		test_card_resume(card);
		for (i = 0; i < n; i++) {
			for (to = 0; to < n; to++) {
				if (to == i)
					continue;
				j = judge(i, (struct ocf_write){
					.qpn = i * n + to, .len = 4 });
				unmapped += j.verdict == OCF_UNMAPPED;
				wrong += j.misrouted;
				CHECK(j.misrouted !=
				      (j.verdict == OCF_UNMAPPED));
			}
		}
		CHECK(unmapped == n * n / 2, "n %u: %u", n, unmapped);
		CHECK(wrong == n * (n - 1) - n * n / 2, "n %u: %u", n, wrong);
		stop();
	}
}

/* The meaning may be negative, and the write rejected: still misrouted. */
static void misrouted_whatever_happens(void)
{
	struct ocf_write w = { .qpn = 0, .raddr = 1, .len = 4 };
	struct ocf_config *cfg;

	start(3);
	cfg = config();
	cfg->upstream_qpns = true;
	cfg->conn[2][0] = 1;
	cfg->conn[2][7] = 1;
	test_card_resume(card);
	CHECK(judge(2, w).misrouted && judge(2, w).verdict == OCF_MISALIGNED);
	w.qpn = 7;
	CHECK(!judge(2, w).misrouted, "7 - 2 * 3 is 1");
	w.qpn = 8;
	CHECK(!judge(2, w).misrouted, "unmapped is not misrouted");
	w.qpn = 0;
	config()->upstream_qpns = false;
	test_card_resume(card);
	CHECK(!judge(2, w).misrouted);
	stop();
}

static void explains_everything(void)
{
	struct ocf_write w = { .qpn = 0, .raddr = SIZE + 1, .len = 0 };
	struct ocf_subject s = { .link = 0, .w = &w };
	struct ocf_explanation e;

	start(2);
	s.cfg = &card->card.config;
	ocf_explain(&s, &e);
	CHECK(e.decides == OCF_CHECK_LENGTH);
	CHECK(e.outcome[OCF_CHECK_PEER] == OCF_PASSED);
	CHECK(e.outcome[OCF_CHECK_ALIGNED] == OCF_FAILED);
	CHECK(e.outcome[OCF_CHECK_BOUNDS] == OCF_FAILED);
	CHECK(e.outcome[OCF_CHECK_WINDOW] == OCF_FAILED);
	CHECK(e.outcome[OCF_CHECK_ARMED] == OCF_NOT_NEEDED);

	w.qpn = 1000;
	ocf_explain(&s, &e);
	CHECK(e.decides == OCF_CHECK_MAPPED);
	CHECK(e.outcome[OCF_CHECK_QP] == OCF_NOT_JUDGED);
	CHECK(e.outcome[OCF_CHECK_BOUNDS] == OCF_NOT_JUDGED);
	CHECK(e.outcome[OCF_CHECK_LENGTH] == OCF_FAILED);

	s.link = 99;
	ocf_explain(&s, &e);
	CHECK(e.decides == OCF_CHECK_MEMBER);
	CHECK(e.outcome[OCF_CHECK_WINDOW] == OCF_NOT_JUDGED);
	stop();
}

static void sizes_of_a_write(void)
{
	static const struct {
		uint32_t len, beats, takes, bytes, oversize;
	} t[] = {
		{ 0, 0, 1, 0, 1 }, { 0, 5, 5, 0, 5 }, { 1, 0, 1, 1, 0 },
		{ 64, 0, 1, 64, 0 }, { 65, 0, 2, 65, 0 }, { 65, 1, 1, 64, 0 },
		{ 65, 2, 2, 65, 0 }, { 65, 3, 3, 65, 1 },
		{ 1, 0xffffff, 0xffffff, 1, 0xfffffe },
		{ ~0u, 0, 1u << 26, ~0u, 0 },
		{ ~0u, 0xffffff, 0xffffff, 0x3fffffc0, 0 },
		{ ~0u, 0x4000001, 0x4000001, ~0u, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ocf_write w = { .len = t[i].len, .beats = t[i].beats };

		CHECK(ocf_write_beats(&w) == t[i].takes, "row %zu", i);
		CHECK(ocf_write_bytes(&w) == t[i].bytes, "row %zu", i);
		CHECK(ocf_write_oversize(&w) == t[i].oversize, "row %zu", i);
	}
}

static const struct tap_test tests[] = {
	{ "n and link: bad_config before all else", member },
	{ "a QPN without entry is unmapped", mapped },
	{ "a connection that may not send is qp_state", qp_may_send },
	{ "the peer: member, another one, aligned", peer },
	{ "zero_length before misaligned", length_then_alignment },
	{ "out_of_bounds at every edge", bounds },
	{ "out_of_bounds where the address wraps", address_wraps },
	{ "one window must hold it all", windows_alone },
	{ "windows in windows", windows_nested },
	{ "windows of other pairs", windows_of_other_pairs },
	{ "slots that are not valid", windows_removed },
	{ "a window past 2^64", window_wraps },
	{ "windows of replicas that no card has", windows_of_nobody },
	{ "an immediate needs an armed receiver", immediate_needs_a_receiver },
	{ "semaphores need a window's range", semaphores },
	{ "the default connection table of every n", default_table },
	{ "sends by id * n + j", upstream_numbering },
	{ "misrouted whatever the verdict", misrouted_whatever_happens },
	{ "explain judges every check", explains_everything },
	{ "beats, bytes and oversize of a write", sizes_of_a_write },
};

TAP_MAIN(tests)
