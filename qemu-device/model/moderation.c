// SPDX-License-Identifier: GPL-2.0-or-later
#include "moderation.h"

#include "linux/ocfabric_hw.h"

void ocf_moderation_reset(struct ocf_moderation *m)
{
	*m = (struct ocf_moderation){
		.burst = OCFABRIC_MODERATION_BURST,
		.timer = OCFABRIC_MODERATION_TIMER,
	};
}

void ocf_moderation_restart(struct ocf_moderation *m)
{
	*m = (struct ocf_moderation){
		.burst = m->burst, .timer = m->timer, .count = m->count,
		.ms = m->ms, .in_ms = m->in_ms, .delayed = m->delayed,
	};
}

bool ocf_moderation_set(struct ocf_moderation *m, uint32_t value)
{
	if (!(value & OCFABRIC_MODERATION_BURST_MASK))
		return false;
	m->burst = value & OCFABRIC_MODERATION_BURST_MASK;
	m->count = value & OCFABRIC_MODERATION_COUNT;
	return true;
}

bool ocf_moderation_set_timer(struct ocf_moderation *m, uint32_t ns)
{
	if (ns > OCFABRIC_TIMER_MAX)
		return false;
	m->timer = ns;
	return true;
}

uint32_t ocf_moderation_get(const struct ocf_moderation *m)
{
	return m->burst | (m->count ? OCFABRIC_MODERATION_COUNT : 0);
}

void ocf_moderation_add(struct ocf_moderation *m, uint32_t n, uint64_t now)
{
	if (!n)
		return;
	if (!m->untold)
		m->first = now;
	/* more than the longest burst makes no difference */
	m->untold = n > UINT32_MAX - m->untold ? UINT32_MAX : m->untold + n;
}

static enum ocf_moderate by_settings(struct ocf_moderation *m, uint32_t mhz,
				     uint64_t now, uint64_t *due)
{
	uint64_t cycles = ((uint64_t)m->timer * mhz + 999) / 1000;
	uint64_t *since = m->count ? &m->first : &m->last;

	if (!m->untold)
		return OCF_MODERATE_NOTHING;
	if (m->untold >= m->burst || (!m->count && !m->told))
		return OCF_MODERATE_NOW;
	/* a loaded one may be anything */
	if (*since > now)
		*since = now;
	if (now - *since >= cycles)
		return OCF_MODERATE_NOW;
	*due = *since + cycles;
	return OCF_MODERATE_LATER;
}

/*
 * The millisecond that is counted in. Threads look at the clock at different
 * times: who is a bit behind counts in the latest one.
 */
static void count_in(struct ocf_moderation *m, uint64_t len, uint64_t now)
{
	if (now >= m->ms ? now - m->ms < len : m->ms - now < len)
		return;
	m->ms = now - now % len;
	m->in_ms = 0;
}

enum ocf_moderate ocf_moderation_look(struct ocf_moderation *m, uint32_t mhz,
				      uint32_t limit, uint64_t now,
				      uint64_t *due)
{
	enum ocf_moderate what = by_settings(m, mhz, now, due);
	uint64_t len = 1000ull * mhz;

	if (what != OCF_MODERATE_NOW)
		return what;
	count_in(m, len, now);
	if (!limit || m->in_ms < limit)
		return what;
	m->delayed += !m->put_off;
	m->put_off = true;
	*due = m->ms + len;
	return OCF_MODERATE_LATER;
}

void ocf_moderation_raised(struct ocf_moderation *m, uint64_t now)
{
	m->told = true;
	m->last = now;
	m->in_ms++;
	ocf_moderation_drop(m);
}

void ocf_moderation_drop(struct ocf_moderation *m)
{
	m->untold = 0;
	m->put_off = false;
}

bool ocf_moderation_valid(const struct ocf_moderation *m)
{
	return m->burst && m->burst <= OCFABRIC_MODERATION_BURST_MASK &&
	       m->timer <= OCFABRIC_TIMER_MAX;
}
