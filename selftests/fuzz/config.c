// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model's configuration and rules, against what they mean said plainly: a write
 * passes if it is inside the region of its peer, and one window that the source has
 * there holds all of it.
 */
#include "fuzz.h"
#include "model.h"

#define WINDOWS	24u
#define HBM	0x10000ull

static struct ocf_card card;
static struct ocf_window window[WINDOWS];
static struct ocf_reach reach[WINDOWS];

/* Small and large numbers, and those around what there is. */
static uint64_t number(struct bytes *b)
{
	uint8_t how = take8(b);

	switch (how & 3) {
	case 0:
		return take64(b);
	case 1:
		return (uint64_t)take16(b) << 2;
	case 2:
		return UINT64_MAX - take8(b);
	default:
		return HBM + (how >> 2) - 32;
	}
}

static void configure(struct bytes *b)
{
	struct ocf_config *cfg = &card.config;
	unsigned int i, n;

	cfg->n = take8(b) % 20;
	cfg->upstream_qpns = take8(b) & 1;
	ocf_config_default_conn(cfg);
	for (n = take8(b) % 40; n; n--) {
		i = take8(b);
		cfg->region[i % OCF_REPLICAS] =
			(struct ocf_region){ number(b), number(b) };
		cfg->conn[take8(b) % OCF_REPLICAS][i] = take8(b);
	}
	for (n = take8(b) % (WINDOWS + 1); n; n--) {
		struct ocf_window *w = &window[take8(b) % WINDOWS];

		*w = (struct ocf_window){
			.offset = number(b), .length = number(b),
			.src = take8(b) & 31, .dst = take8(b) & 31,
			.sem_first = take8(b), .sem_count = take8(b),
			.valid = true,
		};
	}
	ocf_config_index(cfg);
}

/* Does [raddr, raddr + len) fit into one window, as unlimited numbers? */
static bool held_by_one(unsigned int src, unsigned int dst, uint64_t raddr,
			uint64_t len)
{
	unsigned __int128 end = (unsigned __int128)raddr + len;
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		const struct ocf_window *w = &window[i];

		if (w->valid && w->src == src && w->dst == dst &&
		    w->offset <= raddr &&
		    end <= (unsigned __int128)w->offset + w->length)
			return true;
	}
	return false;
}

static bool sem_allowed(unsigned int src, unsigned int dst, unsigned int sem)
{
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		const struct ocf_window *w = &window[i];

		if (w->valid && w->src == src && w->dst == dst &&
		    sem >= w->sem_first &&
		    sem < (unsigned int)w->sem_first + w->sem_count)
			return true;
	}
	return false;
}

static void check_passed(unsigned int link, const struct ocf_write *w,
			 const struct ocf_judgement *j)
{
	const struct ocf_config *cfg = &card.config;
	const struct ocf_region *r;

	MUST(ocf_config_n_valid(cfg) && link < cfg->n);
	MUST(j->peer < cfg->n && j->peer != link);
	MUST(w->qpn < OCF_QPNS && cfg->conn[link][w->qpn] == j->peer);
	if (w->kind == OCF_KIND_SEM) {
		MUST(w->sem < OCF_SEMS && sem_allowed(link, j->peer, w->sem));
		return;
	}
	r = &cfg->region[j->peer];
	MUST(w->len && !(w->raddr & 3) && !(r->base % OCF_LINE));
	MUST(w->raddr <= r->size && w->len <= r->size - w->raddr);
	MUST(held_by_one(link, j->peer, w->raddr, w->len));
	MUST(ocf_write_bytes(w) <= w->len);
}

static void judge(struct bytes *b)
{
	unsigned int link = take8(b) % OCF_REPLICAS;
	struct ocf_write w = {
		.raddr = number(b), .qpn = take8(b) & 1 ? take32(b) & 0xffffff :
						      take8(b),
		.len = (uint32_t)number(b), .beats = take8(b) & 1 ? take32(b) : 0,
		.sem = take16(b), .kind = take8(b) % OCF_NR_KINDS,
	};
	struct ocf_subject s = { .cfg = &card.config, .link = link, .w = &w };
	struct ocf_judgement j = ocf_judge(&s);
	struct ocf_explanation e;
	unsigned int i;

	ocf_explain(&s, &e);
	MUST(e.judgement.verdict == j.verdict && e.judgement.peer == j.peer &&
	     e.judgement.failed == j.failed && e.judgement.misrouted == j.misrouted);
	MUST(e.decides == j.failed && j.failed <= OCF_NR_CHECKS);
	for (i = 0; i < OCF_NR_CHECKS && i < j.failed; i++)
		MUST(e.outcome[i] == OCF_PASSED || e.outcome[i] == OCF_NOT_NEEDED);
	if (j.failed < OCF_NR_CHECKS) {
		MUST(e.outcome[j.failed] == OCF_FAILED);
		MUST(j.verdict == ocf_check_verdict(j.failed));
	} else {
		MUST(j.verdict == OCF_COMMITTED);
		check_passed(link, &w, &j);
	}
	/* and the other way round: only this check can have failed here */
	if (j.failed == OCF_CHECK_WINDOW && w.kind != OCF_KIND_SEM)
		MUST(!held_by_one(link, j.peer, w.raddr, w.len));
	if (j.failed == OCF_CHECK_WINDOW && w.kind == OCF_KIND_SEM)
		MUST(w.sem >= OCF_SEMS || !sem_allowed(link, j.peer, w.sem));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	unsigned int i;

	memset(&card, 0, sizeof(card));
	memset(window, 0, sizeof(window));
	card.config.windows = window;
	card.config.reach = reach;
	card.config.max_windows = WINDOWS;
	ocf_config_reset(&card.config);
	configure(&b);
	for (i = 0; i < 64 && (b.left || !i); i++)
		judge(&b);
	return 0;
}
