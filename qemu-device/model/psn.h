/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packet sequence numbers: 24 bits that wrap. Of two numbers, the one that is up
 * to half the ring behind the other is the earlier; at exactly half the ring each
 * is behind the other, so that what is half a ring old still counts as old.
 */
#ifndef OCF_PSN_H
#define OCF_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define OCF_PSN_MASK	0xffffffu
#define OCF_PSN_HALF	0x800000u

static inline bool ocf_psn_valid(uint32_t psn)
{
	return psn <= OCF_PSN_MASK;
}

static inline uint32_t ocf_psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & OCF_PSN_MASK;
}

static inline uint32_t ocf_psn_sub(uint32_t psn, uint32_t n)
{
	return (psn - n) & OCF_PSN_MASK;
}

/* How far it is from one to the other, forwards: 0 to 2^24 - 1. */
static inline uint32_t ocf_psn_distance(uint32_t from, uint32_t to)
{
	return (to - from) & OCF_PSN_MASK;
}

/* a - b, the shorter way round: -2^23 to 2^23 - 1. */
static inline int32_t ocf_psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(ocf_psn_distance(b, a) ^ OCF_PSN_HALF) -
	       (int32_t)OCF_PSN_HALF;
}

static inline bool ocf_psn_before(uint32_t a, uint32_t b)
{
	return ocf_psn_diff(a, b) < 0;
}

static inline bool ocf_psn_after(uint32_t a, uint32_t b)
{
	return ocf_psn_diff(a, b) > 0;
}

/* Whether it is one of the n (up to 2^24) from first on. */
static inline bool ocf_psn_within(uint32_t psn, uint32_t first, uint32_t n)
{
	return ocf_psn_distance(first, psn) < n;
}

#endif
