// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Layouts of channels: where everything lies in everybody's region
 */
#include <string.h>

#include "channel.h"

#define LINE	64

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

static int check_range(const char *name, const char *field, uint32_t value,
		       uint32_t min, uint32_t max)
{
	if (value >= min && value <= max)
		return 0;
	return ocf_fail(EINVAL, "channel %s: %s is %u, not %u to %u", name,
			field, value, min, max);
}

static int check_name(const struct ocf_layout *l, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (!n || n >= OCF_CHANNEL_NAME)
		return ocf_fail(EINVAL, "channel %u: the name is not 1 to %d "
				"characters long", l->channels,
				OCF_CHANNEL_NAME - 1);
	if (ocf_layout_find(l, name) >= 0)
		return ocf_fail(EINVAL, "there are two channels %s", name);
	return 0;
}

static int check_spec(const struct ocf_layout *l,
		      const struct ocf_channel_spec *s)
{
	int error = check_name(l, s->name);

	if (!error)
		error = check_range(s->name, "slots", s->slots, 2,
				    OCF_CHANNEL_SLOTS_MAX);
	if (!error)
		error = check_range(s->name, "size", s->size, 1,
				    OCF_CHANNEL_SIZE_MAX);
	if (!error && s->align)
		error = check_range(s->name, "align", s->align, 8, 4096);
	if (error)
		return error;
	if (s->align & (s->align - 1))
		return ocf_fail(EINVAL, "channel %s: align is %u, no power of two",
				s->name, s->align);
	if (s->flags & ~OCF_CHANNEL_TAIL)
		return ocf_fail(EINVAL, "channel %s: unknown flags %#x", s->name,
				s->flags);
	return 0;
}

/* The next channel of a layout, from @offset of the block on; its end. */
static uint64_t place(struct ocf_layout *l, const struct ocf_channel_spec *s,
		      uint64_t offset)
{
	struct ocf_channel_place *p = &l->place[l->channels++];
	uint32_t align = s->align ? s->align : 8;

	memcpy(p->name, s->name, strlen(s->name));
	p->slots = s->slots;
	p->size = s->size;
	p->flags = s->flags;
	p->stride = (uint32_t)round_up(OCF_CHANNEL_HEADER + s->size, align);
	p->offset = round_up(offset, align);
	return p->offset + (uint64_t)p->stride * p->slots;
}

OCF_API int ocf_layout_plan(struct ocf_layout *l, uint32_t replicas,
			    uint64_t base,
			    const struct ocf_channel_spec *specs,
			    unsigned int count)
{
	uint64_t end = OCF_BLOCK_CHANNELS, align = LINE;
	unsigned int i;
	int error;

	memset(l, 0, sizeof(*l));
	if (replicas < 2 || replicas > OCFABRIC_REPLICAS_MAX)
		return ocf_fail(EINVAL, "a layout is for 2 to %d replicas, not %u",
				OCFABRIC_REPLICAS_MAX, replicas);
	if (!count || count > OCF_CHANNELS_MAX)
		return ocf_fail(EINVAL, "a layout has 1 to %d channels, not %u",
				OCF_CHANNELS_MAX, count);
	if (base > 1ULL << 62)
		return ocf_fail(EINVAL, "base is %#llx, above 2^62",
				(unsigned long long)base);
	for (i = 0; i < count; i++) {
		error = check_spec(l, &specs[i]);
		if (error)
			return error;
		if (specs[i].align > align)
			align = specs[i].align;
		end = place(l, &specs[i], end);
	}
	l->replicas = replicas;
	l->base = round_up(base, align);
	l->block = round_up(end, align);
	return 0;
}

OCF_API int ocf_layout_find(const struct ocf_layout *l, const char *name)
{
	uint32_t i;

	for (i = 0; i < l->channels; i++)
		if (!strcmp(l->place[i].name, name))
			return (int)i;
	return ocf_fail(ENOENT, "the layout has no channel %s", name);
}
