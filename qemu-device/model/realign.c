// SPDX-License-Identifier: GPL-2.0-or-later
/* The lanes of a beat: shifting a stream onto lines, and its byte enables. */
#include <string.h>

#include "model.h"

uint64_t ocf_strobe(uint64_t left)
{
	return left >= OCF_LINE ? ~0ULL : (1ULL << left) - 1;
}

void ocf_realign(uint8_t line[OCF_LINE], const uint8_t prev[OCF_LINE],
		 const uint8_t cur[OCF_LINE], unsigned int sw)
{
	size_t shift = 4 * (sw % 16);

	memcpy(line, prev + OCF_LINE - shift, shift);
	memcpy(line + shift, cur, OCF_LINE - shift);
}

uint64_t ocf_realign_keep(uint64_t prev, uint64_t cur, unsigned int sw)
{
	unsigned int shift = 4 * (sw % 16);

	return shift ? prev >> (OCF_LINE - shift) | cur << shift : cur;
}
