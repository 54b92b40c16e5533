// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The last entries of the rings, without what is secret: the driver has zeroed
 * that, and nothing here looks at it.
 */
#include <endian.h>
#include <string.h>

#include <ocfabric.h>

#include "dump.h"
#include "words.h"

static const struct column tx_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "index", COL_PLAIN, false },
	{ "tag", COL_PLAIN, false },
	{ "opcode", COL_PLAIN, true },
	{ "inline", COL_YES, false },
	{ "unsignaled", COL_YES, false },
	{ "sem", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "raddr", COL_HEX, false },
	{ "len", COL_PLAIN, false },
	{ "beats", COL_PLAIN, false },
};

static const struct column rx_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "index", COL_PLAIN, false },
	{ "tag", COL_PLAIN, false },
};

static const struct column cq_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "index", COL_PLAIN, false },
	{ "tag", COL_PLAIN, false },
	{ "opcode", COL_PLAIN, true },
	{ "receive", COL_YES, false },
	{ "misrouted", COL_YES, false },
	{ "short", COL_YES, false },
	{ "source", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "descriptor", COL_PLAIN, false },
	{ "bytes", COL_PLAIN, false },
	{ "psn", COL_PLAIN, false },
	{ "clock", COL_PLAIN, false },
	{ "verdict", COL_PLAIN, true },
};

static void put_tx(struct json_object *row, const void *entry)
{
	struct ocfabric_desc d;

	memcpy(&d, entry, sizeof(d));
	put_number(row, "tag", d.flags & OCFABRIC_DESC_TAG_MASK);
	put_string(row, "opcode", opcode_name(d.opcode));
	put_bool(row, "inline", d.flags & OCFABRIC_DESC_INLINE);
	put_bool(row, "unsignaled", d.flags & OCFABRIC_DESC_UNSIGNALED);
	put_number(row, "sem", le16toh(d.sem));
	put_number(row, "qpn", le32toh(d.qpn));
	put_number(row, "raddr", le64toh(d.raddr));
	put_number(row, "len", le32toh(d.len));
	put_number(row, "beats", le32toh(d.beats));
}

static void put_rx(struct json_object *row, const void *entry)
{
	struct ocfabric_rx_desc d;

	memcpy(&d, entry, sizeof(d));
	put_number(row, "tag", d.flags & OCFABRIC_DESC_TAG_MASK);
}

static void put_cq(struct json_object *row, const void *entry)
{
	struct ocfabric_cqe c;

	memcpy(&c, entry, sizeof(c));
	put_number(row, "tag", c.flags & OCFABRIC_CQE_TAG_MASK);
	put_string(row, "opcode", opcode_name(c.opcode));
	put_bool(row, "receive", c.flags & OCFABRIC_CQE_RECEIVE);
	put_bool(row, "misrouted", c.flags & OCFABRIC_CQE_MISROUTED);
	put_bool(row, "short", c.flags & OCFABRIC_CQE_SHORT);
	put_number(row, "source", c.source);
	put_number(row, "qpn", le32toh(c.qpn));
	put_number(row, "descriptor", le16toh(c.index));
	put_number(row, "bytes", le32toh(c.bytes));
	put_number(row, "psn", le32toh(c.psn));
	put_number(row, "clock", le64toh(c.clock));
	put_string(row, "verdict", ocf_verdict_name(c.status));
}

static const struct ring {
	const char *part;
	uint64_t kind;
	size_t size;
	void (*put)(struct json_object *row, const void *entry);
	const struct column *columns;
	unsigned int nr;
} rings[] = {
	{ "descriptors", OCFABRIC_RING_KIND_TX, sizeof(struct ocfabric_desc),
	  put_tx, tx_columns, ARRAY_SIZE(tx_columns) },
	{ "receive-descriptors", OCFABRIC_RING_KIND_RX,
	  sizeof(struct ocfabric_rx_desc), put_rx, rx_columns,
	  ARRAY_SIZE(rx_columns) },
	{ "completions", OCFABRIC_RING_KIND_CQ, sizeof(struct ocfabric_cqe),
	  put_cq, cq_columns, ARRAY_SIZE(cq_columns) },
};

struct adding {
	const struct ring *ring;
	const struct card *card;
	struct json_object *rows;
};

static int add_entry(const struct fab_attrs *attrs, void *arg)
{
	struct adding *adding = arg;
	struct json_object *row;
	const uint8_t *entry;
	size_t length = 0;

	entry = fab_bytes(attrs, OCFABRIC_A_RING_ENTRY, &length);
	if (fab_number(attrs, OCFABRIC_A_RING_RING) != adding->ring->kind ||
	    !entry || length < adding->ring->size)
		return 0;
	row = add_row(adding->rows, adding->card);
	put_number(row, "replica", fab_number(attrs, OCFABRIC_A_RING_REPLICA));
	put_number(row, "index", fab_number(attrs, OCFABRIC_A_RING_INDEX));
	adding->ring->put(row, entry);
	return 0;
}

static int add_ring(struct dump *dump, const void *arg)
{
	struct adding adding = { .ring = arg, .rows = json_object_new_array() };
	unsigned int i;
	int error = 0;

	for (i = 0; i < dump->ctl->nr_cards && !error; i++) {
		adding.card = &dump->ctl->cards[i];
		error = fab_dump(dump->ctl, OCFABRIC_CMD_RING_GET,
				 adding.card->id, add_entry, &adding);
	}
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	return dump_rows(dump, adding.ring->part, adding.ring->columns,
			 adding.ring->nr, adding.rows);
}

void dump_rings(struct dump *dump)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rings); i++)
		dump_part(dump, rings[i].part, add_ring, &rings[i]);
}
