// SPDX-License-Identifier: GPL-2.0-or-later
/* What a transmit descriptor may say. Only ever given the card's own copy. */
#include "queue.h"

#define FIELD(f)	((unsigned int)offsetof(struct ocfabric_desc, f))

static bool tail_is_zero(const struct ocfabric_desc *d)
{
	return !(d->__reserved3[0] | d->__reserved3[1] | d->__reserved3[2] |
		 d->__reserved3[3] | d->__reserved3[4]);
}

static bool inline_fits(const struct ocfabric_desc *d)
{
	uint32_t len = ocf_le32(d->len), beats = ocf_le32(d->beats);

	/* one beat is already more than what is inline */
	return len <= OCFABRIC_INLINE_MAX || (beats && beats * 64ull <= 32);
}

unsigned int ocf_desc_check(const struct ocfabric_desc *d)
{
	if (d->opcode != OCFABRIC_OP_NOP && d->opcode != OCFABRIC_OP_WRITE)
		return FIELD(opcode);
	if (d->flags & OCFABRIC_DESC_MBZ)
		return FIELD(flags);
	if (d->sem)
		return FIELD(sem);
	if (ocf_le32(d->qpn) > OCFABRIC_QPN_MASK)
		return FIELD(qpn);
	if (ocf_le32(d->len) > OCFABRIC_LEN_MAX)
		return FIELD(len);
	if (ocf_le32(d->beats) > OCFABRIC_BEATS_MAX)
		return FIELD(beats);
	if (d->imm)
		return FIELD(imm);
	if (d->__reserved1)
		return FIELD(__reserved1);
	if (d->flags & OCFABRIC_DESC_INLINE)
		return inline_fits(d) ? OCF_DESC_GOOD : FIELD(len);
	return tail_is_zero(d) ? OCF_DESC_GOOD : FIELD(__reserved3);
}

struct ocf_write ocf_desc_write(const struct ocfabric_desc *d)
{
	return (struct ocf_write){
		.raddr = ocf_le64(d->raddr),
		.qpn = ocf_le32(d->qpn),
		.len = ocf_le32(d->len),
		.beats = ocf_le32(d->beats),
		.kind = OCF_KIND_WRITE,
		.opcode = d->opcode,
		.flags = d->flags & (uint8_t)~OCFABRIC_DESC_TAG_MASK,
	};
}
