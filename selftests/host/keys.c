// SPDX-License-Identifier: GPL-2.0-only
/* Memory keys, against a list of what each byte of a key is. */
#include "machine.h"
#include "tap.h"

#define MAX_SIZE 6000

struct expected {
	bool there;
	uint32_t key;
	uint64_t start;
	uint32_t size;
	uint64_t addr[MAX_SIZE];	/* of each byte */
};

static struct expected expected[OCF_KEYS];
static uint32_t state = 5;

static uint32_t rnd(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void add(struct machine *m, unsigned int index)
{
	struct ocfabric_hw_range list[200];
	struct expected *x = &expected[index];
	uint32_t n = 1 + rnd() % 200, i, k;
	enum ocfabric_hw_result result;

	memset(x, 0, sizeof(*x));
	x->key = index | (rnd() & 0xffff) << OCFABRIC_KEY_GENERATION_SHIFT;
	x->start = (uint64_t)rnd() << (rnd() % 40);
	for (i = 0; i < n; i++) {
		list[i].len = 1 + rnd() % 30;
		list[i].addr = DMA_BASE + rnd() % MEMORY_SIZE;
		for (k = 0; k < list[i].len; k++)
			x->addr[x->size++] = list[i].addr + k;
	}
	memcpy(m->memory + LIST_AT(0), list, sizeof(list));
	result = ocf_key_add(&m->queue[0].keys, &m->host, x->key, x->start,
			     DMA_BASE + LIST_AT(0), n);
	x->there = result == OCFABRIC_RESULT_OK;
	CHECK(x->there || (result == OCFABRIC_RESULT_NO_SPACE &&
			   m->queue[0].keys.nr_ranges + n > OCF_RANGES),
	      "result %u", result);
}

static void look(struct machine *m, const struct expected *x)
{
	const struct ocf_keys *keys = &m->queue[0].keys;
	uint32_t from = rnd() % x->size, n = rnd() % (x->size - from + 3), at;
	const struct ocf_key *k = ocf_key_find(keys, x->key, x->start + from, n);

	CHECK(!!k == (from + n <= x->size), "%u + %u of %u", from, n, x->size);
	CHECK(!ocf_key_find(keys, x->key ^ 64, x->start + from, n));
	CHECK(!ocf_key_find(keys, x->key, x->start - 1, n));
	CHECK(!ocf_key_find(keys, x->key, x->start + from, ~0ull));
	for (at = from; k && at < from + n;) {
		struct ocf_piece p = ocf_key_piece(keys, k, x->start + at,
						   from + n - at);
		uint32_t i;

		CHECK(p.n && p.n <= from + n - at, "%llu",
		      (unsigned long long)p.n);
		for (i = 0; i < p.n; i++)
			if (p.addr + i != x->addr[at + i])
				break;
		CHECK(i == p.n, "byte %u is elsewhere", at + i);
		if (i != p.n || !p.n)
			return;
		CHECK(!p.host || p.host == m->memory + (p.addr - DMA_BASE));
		at += (uint32_t)p.n;
	}
}

static void random_keys(void)
{
	struct machine *m = machine_new(true, 0);
	unsigned int i, index;

	for (i = 0; i < 6000 && tap_failures < 5; i++) {
		index = rnd() % OCF_KEYS;
		if (!expected[index].there) {
			add(m, index);
		} else if (rnd() % 4) {
			look(m, &expected[index]);
		} else {
			CHECK(ocf_key_del(&m->queue[0].keys,
					  expected[index].key) ==
			      OCFABRIC_RESULT_OK);
			expected[index].there = false;
		}
		CHECK(ocf_keys_valid(&m->queue[0].keys), "step %u", i);
	}
	machine_free(m);
}

/* Loaded from anywhere: what is not refused can be used. */
static void damaged(void)
{
	struct machine *m = machine_new(true, 0);
	struct ocf_keys *keys = &m->queue[0].keys;
	unsigned int i, k;
	struct ocf_range *range = keys->range;
	unsigned int good = 0;

	for (i = 0; i < 8; i++)
		add(m, i);
	for (i = 0; i < 20000; i++) {
		struct ocf_keys copy = *keys;
		static struct ocf_range ranges[OCF_RANGES];

		memcpy(ranges, range, sizeof(ranges));
		copy.range = ranges;
		if (rnd() & 1)
			((uint8_t *)copy.key)[rnd() % (8 * sizeof(copy.key[0]))] ^=
				1 << rnd() % 8;
		else
			((uint8_t *)ranges)[rnd() % (copy.nr_ranges * 24)] ^=
				1 << rnd() % 8;
		if (!ocf_keys_valid(&copy))
			continue;
		good++;
		ocf_keys_map(&copy, &m->host);
		for (k = 0; k < 8; k++) {
			const struct ocf_key *key = &copy.key[k];

			if (key->count)
				ocf_key_piece(&copy, key, key->start +
					      rnd() % key->size, 1);
		}
	}
	CHECK(good, "everything was refused");
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "keys come and go, each byte where it should be", random_keys },
	{ "damaged keys are refused or harmless", damaged },
};

TAP_MAIN(tests)
