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

enum ocf_moderate ocf_moderation_look(struct ocf_moderation *m, uint32_t mhz,
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

void ocf_moderation_raised(struct ocf_moderation *m, uint64_t now)
{
	m->told = true;
	m->untold = 0;
	m->last = now;
}

bool ocf_moderation_valid(const struct ocf_moderation *m)
{
	return m->burst && m->burst <= OCFABRIC_MODERATION_BURST_MASK &&
	       m->timer <= OCFABRIC_TIMER_MAX;
}
