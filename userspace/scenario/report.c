// SPDX-License-Identifier: LGPL-2.1-or-later
/* The lines that a run prints: one JSON object each. */
#include <inttypes.h>

#include "scenario.h"

void ocf_scn_report_write(FILE *out, const struct ocf_scn_result *r)
{
	fprintf(out, "{\"op\":\"write\",\"seq\":%" PRIu64 ",\"link\":%u,"
		"\"qpn\":%" PRIu32 ",\"verdict\":\"%s\",\"peer\":", r->seq,
		r->link, r->qpn, r->verdict);
	if (r->peer < 0)
		fputs("null", out);
	else
		fprintf(out, "%d", r->peer);
	fprintf(out, ",\"bytes\":%" PRIu32 ",\"lines\":%" PRIu32
		",\"oversize\":%" PRIu32 ",\"misrouted\":%s}\n", r->bytes,
		r->lines, r->oversize, r->misrouted ? "true" : "false");
}

void ocf_scn_report_read_begin(FILE *out, const struct ocf_scn_stmt *stmt)
{
	fprintf(out, "{\"op\":\"read\",\"region\":%u,\"offset\":%" PRIu64
		",\"hex\":\"", stmt->read.region, stmt->read.offset);
}

void ocf_scn_report_read_bytes(FILE *out, const uint8_t *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		putc(digit[bytes[i] >> 4], out);
		putc(digit[bytes[i] & 15], out);
	}
}

void ocf_scn_report_read_end(FILE *out)
{
	fputs("\"}\n", out);
}

static const char *const counter_names[OCF_SCN_COUNTERS] = {
	"writes", "committed", "bytes", "lines", "unmapped", "misrouted",
	"bad_config", "zero_length", "misaligned", "out_of_bounds",
	"unauthorized", "short_packet", "oversize", "axi_error", "qp_state",
	"rnr", "dma_error",
};

void ocf_scn_report_counters(FILE *out, unsigned int link,
			     const uint64_t counter[OCF_SCN_COUNTERS])
{
	int i;

	fprintf(out, "{\"op\":\"counters\",\"link\":%u", link);
	for (i = 0; i < OCF_SCN_COUNTERS; i++)
		fprintf(out, ",\"%s\":%" PRIu64, counter_names[i], counter[i]);
	fputs("}\n", out);
}

void ocf_scn_report_digest(FILE *out, unsigned int region, uint32_t crc)
{
	fprintf(out, "{\"op\":\"digest\",\"region\":%u,\"crc32\":\"%08" PRIx32
		"\"}\n", region, crc);
}

/* A JSON string; the reason is the kernel's, its bytes are not ours. */
static void put_string(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

void ocf_scn_report_refusal(FILE *out, const struct ocf_scn_stmt *stmt,
			    const char *error, const char *reason)
{
	fprintf(out, "{\"op\":\"%s\",\"line\":%lu,\"error\":",
		ocf_scn_op_name(stmt->op), stmt->line);
	put_string(out, error);
	fputs(",\"reason\":", out);
	put_string(out, reason);
	fputs("}\n", out);
}

unsigned int ocf_scn_links(const struct ocf_scn *scn)
{
	if (scn->n >= 2 && scn->n <= OCF_SCN_REPLICAS)
		return scn->n;
	return (unsigned int)(scn->top_link + 1);
}

bool ocf_scn_has_digest(const struct ocf_scn *scn, unsigned int region)
{
	const struct ocf_scn_region *r = &scn->region[region];

	return r->named && r->base <= scn->hbm &&
	       r->size <= scn->hbm - r->base;
}
