// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CRC-32 as zlib's (polynomial 0x04c11db7, reflected), eight bytes at a time:
 * table k holds the remainder of a byte that k zero bytes follow.
 */
#include "scenario.h"

static uint32_t table[8][256];

static void make_tables(void)
{
	uint32_t i, k, bit, crc;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
		table[0][i] = crc;
	}
	for (k = 1; k < 8; k++)
		for (i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^
				      table[0][table[k - 1][i] & 255];
}

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static uint32_t eight(uint32_t crc, const uint8_t *p)
{
	uint32_t lo = le32(p) ^ crc, hi = le32(p + 4);

	return table[7][lo & 255] ^ table[6][lo >> 8 & 255] ^
	       table[5][lo >> 16 & 255] ^ table[4][lo >> 24] ^
	       table[3][hi & 255] ^ table[2][hi >> 8 & 255] ^
	       table[1][hi >> 16 & 255] ^ table[0][hi >> 24];
}

uint32_t ocf_scn_crc32(uint32_t crc, const void *data, size_t n)
{
	const uint8_t *p = data;

	if (!table[0][1])
		make_tables();
	crc = ~crc;
	for (; n >= 8; n -= 8, p += 8)
		crc = eight(crc, p);
	for (; n; n--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
	return ~crc;
}
