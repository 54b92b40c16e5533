// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attacks by what a replica tells the card: descriptors, doorbells, owner line
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "attack.h"

#define VOLLEY	1000u		/* fits the transmit ring */

static unsigned int to_victim(const struct attacker *a)
{
	return qpn_of(a->n, a->me, a->victim);
}

static bool went(uint8_t status)
{
	return status == OCFABRIC_VERDICT_COMMITTED || status == OCFABRIC_VERDICT_SHORT_PACKET;
}

/*
 * Sends them at once; the status of each in its place. How many were answered: when
 * the queue stops it is started anew, and the others never happen. Or -errno.
 */
static int volley(struct attacker *a, const struct ocfabric_desc *d, unsigned int count,
		  uint8_t *status)
{
	uint64_t end = now_ms() + patience(1000);
	struct ocfabric_queue_get q;
	unsigned int done = 0;
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < count; i++)
		replica_post(&a->r, &d[i]);
	replica_ring(&a->r);
	while (done < count) {
		if (replica_poll(&a->r, &e)) {
			status[done++] = e.status;
			continue;
		}
		if (now_ms() > end || queue_get(&a->r, &q))
			return -ETIMEDOUT;
		/* what it completed before it stopped is in the ring by now */
		if (q.out_state == OCFABRIC_QUEUE_STOPPED && q.out_cq_producer == a->r.taken) {
			int ret = replica_reset(&a->r);

			return ret ? ret : (int)done;
		}
		sched_yield();
	}
	return done;
}

static int all_are(const uint8_t *status, int count, uint8_t what)
{
	for (int i = 0; i < count; i++)
		if (status[i] != what)
			return i + 1;
	return 0;
}

/* All indices, the generations that others are likely to have, and some others. */
int attack_keys(struct attacker *a)
{
	struct ocfabric_desc *d = calloc(VOLLEY, sizeof(*d));
	uint8_t status[VOLLEY];
	unsigned int count = 0;
	int ret = 0;

	for (; count < VOLLEY; count++) {
		uint32_t key = count < 512 ? count : next_random(&a->random) >> 1;

		d[count] = write_desc(to_victim(a), attack_window(a->me), 64, key,
				      count % 2 * 64);
		if (count < 512 && key_del(a->r.fd, key) != -ENOENT)
			ret = 1;
	}
	if (!ret && volley(a, d, count, status) != (int)count)
		ret = 2;
	if (!ret && all_are(status, count, OCFABRIC_VERDICT_LOCAL_PROTECTION))
		ret = 3;
	free(d);
	return ret;
}

/* Own keys, and addresses that the victim's memory would have under them. */
int attack_sources(struct attacker *a)
{
	static uint8_t page[PAGE] __attribute__((aligned(PAGE)));
	const uint64_t away = (uint64_t)((int64_t)a->victim - (int64_t)a->me) * ATTACK_REGION;
	const uint32_t region = OCFABRIC_KEY_REGION;
	uint8_t status[64];
	uint32_t key, gone;

	if (key_add(a->r.fd, page, PAGE, &gone) || key_del(a->r.fd, gone) ||
	    key_add(a->r.fd, page, PAGE, &key))
		return 1;
	const struct { uint32_t key; uint64_t addr; uint32_t len; } from[] = {
		{ gone, 0, 4 }, { key, PAGE, 4 }, { key, PAGE - 4, 8 }, { key, 0, PAGE + 1 },
		{ key, (uint64_t)-4, 8 }, { key, (uint64_t)-4, 4 }, { key, away, 64 },
		{ key, (uintptr_t)page, 64 }, { key, 1ull << 32, 4 }, { key, 1ull << 63, 4 },
		{ key + 64, 0, 4 }, { key ^ 1, 0, 4 }, { region, away, 64 },
		{ region, ATTACK_REGION, 4 }, { region, ATTACK_REGION - 4, 8 },
		{ region, (uint64_t)-4, 8 }, { region, -(uint64_t)ATTACK_REGION, 64 },
		{ region, a->victim * ATTACK_REGION + ATTACK_REGION, 64 },
		{ region, 1ull << 32, 64 }, { region, 1ull << 63, 64 },
	};
	struct ocfabric_desc d[ARRAY_LEN(from)];

	for (unsigned int i = 0; i < ARRAY_LEN(from); i++)
		d[i] = write_desc(to_victim(a), attack_window(a->me), from[i].len, from[i].key,
				  from[i].addr);
	if (volley(a, d, ARRAY_LEN(d), status) != ARRAY_LEN(d))
		return 2;
	if (all_are(status, ARRAY_LEN(d), OCFABRIC_VERDICT_LOCAL_PROTECTION))
		return 3;
	return key_del(a->r.fd, key) ? 4 : 0;
}

/* Where no window of the attacker is, whomever the QPN leads to. */
int attack_qpns(struct attacker *a)
{
	struct ocfabric_desc d[400];
	uint8_t status[400];

	for (unsigned int i = 0; i < ARRAY_LEN(d); i++) {
		uint32_t qpn = i < OCFABRIC_QPNS ? i : next_random(&a->random) & 0xffffff;

		d[i] = inline_desc(qpn, attack_window(a->victim), "attack", 8);
		if (i % 3 == 2)
			d[i].opcode = OCFABRIC_OP_WRITE_IMM;
	}
	if (volley(a, d, ARRAY_LEN(d), status) != ARRAY_LEN(d))
		return 1;
	for (unsigned int i = 0; i < ARRAY_LEN(d); i++)
		if (went(status[i]))
			return 2;
	return 0;
}

static bool permitted(const struct attacker *a, uint64_t raddr, uint32_t len)
{
	uint64_t first = attack_window(a->me);

	return len && raddr % 4 == 0 && raddr >= first && raddr < first + ATTACK_WINDOW &&
	       len <= first + ATTACK_WINDOW - raddr;
}

static unsigned int addresses(const struct attacker *a, uint64_t *at)
{
	const uint64_t first = attack_window(a->me), end = first + ATTACK_WINDOW;
	const uint64_t base = a->victim * ATTACK_REGION;
	const uint64_t some[] = { first, first - 4, first - 64, first + 2, end - 4, end, end - 8,
				  end - 64, end + 4, 0, ATTACK_REGION - 4, ATTACK_REGION,
				  (uint64_t)-4, (uint64_t)-8, -base, -base - 4, first - base };
	unsigned int count = 0;

	for (; count < ARRAY_LEN(some); count++)
		at[count] = some[count];
	for (unsigned int p = 0; p < a->n; p++)
		at[count++] = first + p * ATTACK_REGION - base;
	for (unsigned int bit = 12; bit < 64; bit += 3)
		at[count++] = first + (1ull << bit);
	return count;
}

/* Committed is what one window holds whole, and nothing else, however long it says it is. */
int attack_addresses(struct attacker *a)
{
	static const uint32_t lengths[] = { 0, 1, 4, 8, 64, 128, ATTACK_WINDOW, ATTACK_WINDOW + 1,
					    ATTACK_REGION, OCFABRIC_LEN_MAX - 4,
					    OCFABRIC_LEN_MAX };
	static const uint32_t too_long[] = { OCFABRIC_LEN_MAX + 1, 0x80000000, 0xffffffff };
	struct ocfabric_desc *d = calloc(VOLLEY, sizeof(*d));
	unsigned int count = 0, places;
	uint8_t status[VOLLEY];
	uint64_t at[80];
	int ret = 0;

	places = addresses(a, at);
	for (unsigned int i = 0; i < places; i++) {
		for (unsigned int k = 0; k < ARRAY_LEN(lengths); k++) {
			d[count] = write_desc(to_victim(a), at[i], lengths[k],
					      OCFABRIC_KEY_REGION, 0);
			/* one beat is all that such a length needs to have */
			d[count].beats = lengths[k] > ATTACK_REGION || k % 2 ? 1 : 0;
			count++;
		}
	}
	if (count > VOLLEY || volley(a, d, count, status) != (int)count)
		ret = 1;
	for (unsigned int i = 0; !ret && i < count; i++)
		if (went(status[i]) != permitted(a, d[i].raddr, d[i].len))
			ret = 2;
	for (unsigned int i = 0; !ret && i < ARRAY_LEN(too_long); i++) {
		d[0] = write_desc(to_victim(a), attack_window(a->me), too_long[i],
				  OCFABRIC_KEY_REGION, 0);
		d[0].beats = 1;
		if (volley(a, d, 1, status) != 0)
			ret = 3;
	}
	free(d);
	return ret;
}

/* Adds to those of the victim that are the attacker's to add to, and to no others. */
int attack_semaphores(struct attacker *a)
{
	static const uint16_t none[] = { OCFABRIC_SEMAPHORES, 0x8000, 0xffff };
	struct ocfabric_desc d[OCFABRIC_SEMAPHORES];
	uint8_t status[OCFABRIC_SEMAPHORES];

	for (unsigned int s = 0; s < OCFABRIC_SEMAPHORES; s++)
		d[s] = sem_remote_desc(to_victim(a), s, 1);
	if (volley(a, d, OCFABRIC_SEMAPHORES, status) != OCFABRIC_SEMAPHORES)
		return 1;
	for (unsigned int s = 0; s < OCFABRIC_SEMAPHORES; s++)
		if (went(status[s]) != (s / ATTACK_SEMS == a->me))
			return 2;
	for (unsigned int i = 0; i < ARRAY_LEN(none); i++) {
		d[0] = sem_remote_desc(to_victim(a), none[i], 1);
		if (volley(a, d, 1, status) != 1 || went(status[0]))
			return 3;
		/* there are no more of one's own, either */
		d[0] = sem_local_desc(none[i], 1);
		if (volley(a, d, 1, status) != 0)
			return 4;
	}
	return 0;
}

/* ---- a second look ------------------------------------------------------ */

/*
 * Descriptors turn from what is allowed into what is not, and back, under the card's
 * feet, in each field that is checked before it is used.
 */
#define FLIPPED	256u

struct flipping {
	struct attacker *a;
	unsigned int first;	/* of those that are about to be run */
	bool done;
};

static void *flip(void *arg)
{
	struct flipping *f = arg;
	const struct attacker *a = f->a;
	uint64_t random = a->random;

	while (!__atomic_load_n(&f->done, __ATOMIC_ACQUIRE)) {
		unsigned int at = __atomic_load_n(&f->first, __ATOMIC_RELAXED) +
				  next_random(&random) % FLIPPED;
		volatile struct ocfabric_desc *d = &a->r.tx[at % a->r.get.out_tx_entries];

		switch (next_random(&random) % 6) {
		case 0:
			d->raddr = attack_window(a->victim);
			d->raddr = attack_window(a->me);
			break;
		case 1:
			d->len = ATTACK_REGION;
			d->len = 256;
			break;
		case 2:
			d->qpn = next_random(&random) & 0xff;
			d->qpn = to_victim(a);
			break;
		case 3:
			d->addr = (uint64_t)((int64_t)a->victim - (int64_t)a->me) *
				  ATTACK_REGION;
			d->addr = 0;
			break;
		case 4:
			d->key = next_random(&random) & 0x1ff;
			d->key = OCFABRIC_KEY_REGION;
			break;
		case 5:
			d->raddr = -(uint64_t)128;
			d->raddr = attack_window(a->me);
			break;
		}
	}
	return NULL;
}

int attack_second_look(struct attacker *a)
{
	struct ocfabric_desc d[FLIPPED];
	uint8_t status[FLIPPED];
	struct flipping f = { .a = a };
	unsigned int went_well = 0;
	pthread_t thread;
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(d); i++)
		d[i] = write_desc(to_victim(a), attack_window(a->me), 256, OCFABRIC_KEY_REGION, 0);
	if (pthread_create(&thread, NULL, flip, &f))
		return 1;
	for (unsigned int round = 0; !ret && round < 12; round++) {
		int count;

		__atomic_store_n(&f.first, a->r.posted, __ATOMIC_RELAXED);
		count = volley(a, d, ARRAY_LEN(d), status);
		if (count < 0)
			ret = 2;
		for (int i = 0; i < count; i++)
			went_well += went(status[i]);
	}
	__atomic_store_n(&f.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	if (!ret && !went_well)
		ret = 3;
	return replica_reset(&a->r) ? 4 : ret;
}

/* ---- wild memory -------------------------------------------------------- */

static void wild(struct attacker *a, void *to, size_t bytes)
{
	uint32_t *word = to;

	for (size_t i = 0; i < bytes / 4; i++)
		word[i] = next_random(&a->random);
}

/* Its words are the driver's to read, too. */
int attack_owner_line(struct attacker *a)
{
	struct pollfd p = { .fd = a->r.fd, .events = POLLIN | POLLRDBAND };
	struct ocfabric_desc d = inline_desc(to_victim(a), attack_window(a->me), "owner", 8);

	for (unsigned int round = 0; round < 24; round++) {
		wild(a, a->r.owner, sizeof(*a->r.owner));
		if (round % 3 == 0)
			a->r.owner->sem_arm |= OCFABRIC_SEM_ARMED;
		for (unsigned int i = 0; i < 40; i++)
			replica_post(&a->r, i % 2 ? &d : ARG_DESC(sem_local_desc(i, 1)));
		replica_ring(&a->r);
		if (poll(&p, 1, 0) < 0)
			return 1;
		if (round % 4 == 3 && replica_reset(&a->r))
			return 2;
	}
	return replica_reset(&a->r) ? 3 : 0;
}

/* Anything, with tags that are right or not, and doorbells that are true or not. */
int attack_rings(struct attacker *a)
{
	const unsigned int tx = a->r.get.out_tx_entries, rx = a->r.get.out_rx_entries;

	for (unsigned int round = 0; round < 16; round++) {
		unsigned int count = 1 + next_random(&a->random) % 32;

		wild(a, a->r.tx, 32 * sizeof(*a->r.tx));
		wild(a, a->r.rx, 32 * sizeof(*a->r.rx));
		for (unsigned int i = 0; round % 4 && i < 32; i++) {
			a->r.tx[i].opcode %= OCFABRIC_OP_WAIT + 2;
			/* it would use what a peer of the victim needs, as it may */
			if (a->r.tx[i].opcode == OCFABRIC_OP_WRITE_IMM)
				a->r.tx[i].opcode = OCFABRIC_OP_WRITE;
			a->r.tx[i].flags = (a->r.tx[i].flags & 0xc & -(round % 2)) | 1;
			a->r.tx[i].qpn &= 0x3f;
			a->r.tx[i].raddr &= 0x1ffffc;
			a->r.tx[i].len &= 0x3fff;
			a->r.tx[i].beats = 0;
		}
		replica_rx_ring_by(&a->r, round % 5 ? count : rx + count);
		replica_ring_by(&a->r, round % 7 ? count : tx * count + 1);
		replica_ring_by(&a->r, next_random(&a->random));
		if (replica_reset(&a->r))
			return 1;
	}
	return 0;
}
