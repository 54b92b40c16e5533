// SPDX-License-Identifier: GPL-2.0-or-later
/* What a transmit descriptor may say. Only ever given the card's own copy. */
#include <string.h>

#include "queue.h"

#define FIELD(f)	((unsigned int)offsetof(struct ocfabric_desc, f))

/* Which fields an opcode uses; the others are zero. */
#define USES_SEM	0x01u
#define USES_QPN	0x02u
#define USES_RADDR	0x04u
#define USES_LEN	0x08u
#define USES_BEATS	0x10u
#define USES_IMM	0x20u
#define USES_SOURCE	0x40u	/* a payload: by key or inline */
#define MAY_INLINE	0x80u	/* the flag */
#define IS_OPCODE	0x100u

#define WRITE_FIELDS	(IS_OPCODE | USES_QPN | USES_RADDR | USES_LEN | \
			 USES_BEATS | USES_SOURCE | MAY_INLINE)

static const uint16_t opcodes[] = {
	[OCFABRIC_OP_NOP] = IS_OPCODE | MAY_INLINE,
	[OCFABRIC_OP_WRITE] = WRITE_FIELDS,
	[OCFABRIC_OP_WRITE_IMM] = WRITE_FIELDS | USES_IMM,
	[OCFABRIC_OP_SEM_LOCAL] = IS_OPCODE | USES_SEM | USES_LEN,
	[OCFABRIC_OP_SEM_REMOTE] = IS_OPCODE | USES_SEM | USES_LEN | USES_QPN,
	[OCFABRIC_OP_WAIT] = IS_OPCODE | USES_SEM | USES_LEN,
};

static bool flags_good(const struct ocfabric_desc *d, unsigned int uses)
{
	return !(d->flags & OCFABRIC_DESC_MBZ) &&
	       (uses & MAY_INLINE || !(d->flags & OCFABRIC_DESC_INLINE));
}

/* A SEM_REMOTE names the peer's: which ones it may is for the rules to say. */
static bool sem_good(const struct ocfabric_desc *d, unsigned int uses)
{
	if (!(uses & USES_SEM))
		return !d->sem;
	return uses & USES_QPN || ocf_le16(d->sem) < OCF_SEMS;
}

static bool inline_fits(const struct ocfabric_desc *d)
{
	uint32_t len = ocf_le32(d->len), beats = ocf_le32(d->beats);

	/* one beat is already more than what is inline */
	return len <= OCFABRIC_INLINE_MAX || (beats && beats * 64ull <= 32);
}

static bool len_good(const struct ocfabric_desc *d, unsigned int uses)
{
	if (!(uses & USES_LEN))
		return !d->len;
	if (!(uses & USES_SOURCE))
		return true;
	return ocf_le32(d->len) <= OCFABRIC_LEN_MAX &&
	       (!(d->flags & OCFABRIC_DESC_INLINE) || inline_fits(d));
}

/* Offset of the first word from `from` on that is not zero. */
static unsigned int zero_from(const struct ocfabric_desc *d, unsigned int from)
{
	uint32_t word;

	for (; from < sizeof(*d); from += sizeof(word)) {
		memcpy(&word, (const uint8_t *)d + from, sizeof(word));
		if (word)
			return from;
	}
	return OCF_DESC_GOOD;
}

static unsigned int source_check(const struct ocfabric_desc *d,
				 unsigned int uses)
{
	unsigned int field;

	if (uses & USES_SOURCE)
		return d->flags & OCFABRIC_DESC_INLINE ||
		       zero_from(d, FIELD(__reserved3)) == OCF_DESC_GOOD ?
			       OCF_DESC_GOOD : FIELD(__reserved3);
	field = zero_from(d, FIELD(addr));
	if (field == OCF_DESC_GOOD || d->flags & OCFABRIC_DESC_INLINE)
		return field == OCF_DESC_GOOD ? field : FIELD(data);
	if (field < FIELD(key))
		return FIELD(addr);
	return field < FIELD(__reserved3) ? FIELD(key) : FIELD(__reserved3);
}

unsigned int ocf_desc_check(const struct ocfabric_desc *d)
{
	unsigned int uses = d->opcode < sizeof(opcodes) / sizeof(*opcodes) ?
				    opcodes[d->opcode] : 0;

	if (!uses)
		return FIELD(opcode);
	if (!flags_good(d, uses))
		return FIELD(flags);
	if (!sem_good(d, uses))
		return FIELD(sem);
	if (ocf_le32(d->qpn) > (uses & USES_QPN ? OCFABRIC_QPN_MASK : 0))
		return FIELD(qpn);
	if (d->raddr && !(uses & USES_RADDR))
		return FIELD(raddr);
	if (!len_good(d, uses))
		return FIELD(len);
	if (ocf_le32(d->beats) > (uses & USES_BEATS ? OCFABRIC_BEATS_MAX : 0))
		return FIELD(beats);
	if (d->imm && !(uses & USES_IMM))
		return FIELD(imm);
	if (d->__reserved1)
		return FIELD(__reserved1);
	return source_check(d, uses);
}

static const uint8_t kinds[] = {
	[OCFABRIC_OP_WRITE] = OCF_KIND_WRITE,
	[OCFABRIC_OP_WRITE_IMM] = OCF_KIND_WRITE_IMM,
	[OCFABRIC_OP_SEM_REMOTE] = OCF_KIND_SEM,
};

struct ocf_write ocf_desc_write(const struct ocfabric_desc *d)
{
	bool sem = d->opcode == OCFABRIC_OP_SEM_REMOTE;

	return (struct ocf_write){
		.raddr = ocf_le64(d->raddr),
		.qpn = ocf_le32(d->qpn),
		.len = ocf_le32(d->len),
		/* what is added is no length */
		.beats = sem ? 1 : ocf_le32(d->beats),
		.sem = ocf_le16(d->sem),
		.kind = kinds[d->opcode],
		.opcode = d->opcode,
		.flags = d->flags & (uint8_t)~OCFABRIC_DESC_TAG_MASK,
	};
}
