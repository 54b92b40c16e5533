// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copy into the HBM. Not memcpy: a reader may poll any aligned word, so
 * every word that is covered whole must be stored by one store, and no byte
 * twice. Loads may be unaligned, stores never are.
 *
 * All ways to do it are alike: stores of rising size until the destination is
 * aligned to the largest, a loop, then stores of falling size.
 */
#include <string.h>

#include "model.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define OCF_X86 1
#else
#define OCF_X86 0
#endif

typedef uint64_t __attribute__((may_alias)) ocf_u64;
typedef uint32_t __attribute__((may_alias)) ocf_u32;
typedef uint16_t __attribute__((may_alias)) ocf_u16;

#define LARGE	24576u		/* bytes; see copy_string() */

#define INLINE static inline __attribute__((always_inline))

/*
 * Atomic stores, so that no compiler makes a memcpy out of a loop of them, or
 * one store out of two parts that need not be seen together.
 */
INLINE void store8(uint8_t *dst, const uint8_t *src)
{
	uint64_t v;

	memcpy(&v, src, sizeof(v));
	__atomic_store_n((ocf_u64 *)dst, v, __ATOMIC_RELAXED);
}

INLINE void store4(uint8_t *dst, const uint8_t *src)
{
	uint32_t v;

	memcpy(&v, src, sizeof(v));
	__atomic_store_n((ocf_u32 *)dst, v, __ATOMIC_RELAXED);
}

INLINE void store2(uint8_t *dst, const uint8_t *src)
{
	uint16_t v;

	memcpy(&v, src, sizeof(v));
	__atomic_store_n((ocf_u16 *)dst, v, __ATOMIC_RELAXED);
}

INLINE void store1(uint8_t *dst, const uint8_t *src)
{
	__atomic_store_n(dst, *src, __ATOMIC_RELAXED);
}

/* One store of `size` if the destination is not aligned to twice as much. */
#define RISE(store, size)						\
	if (((uintptr_t)dst & (size)) && n >= (size)) {			\
		store(dst, src);					\
		dst += (size);						\
		src += (size);						\
		n -= (size);						\
	}

/* One store of `size` if what is left has that bit. */
#define FALL(store, size)						\
	if (n & (size)) {						\
		store(dst, src);					\
		dst += (size);						\
		src += (size);						\
	}

#define LOOP(store, size)						\
	while (n >= (size)) {						\
		store(dst, src);					\
		dst += (size);						\
		src += (size);						\
		n -= (size);						\
	}

/* Less than a word, at the end. */
#define FALL_BYTES							\
	FALL(store4, 4)							\
	FALL(store2, 2)							\
	if (n & 1)							\
		store1(dst, src);

static void copy_words(uint8_t *dst, const uint8_t *src, size_t n)
{
	RISE(store4, 4)
	LOOP(store8, 8)
	FALL_BYTES
}

#if OCF_X86

INLINE void store16(uint8_t *dst, const uint8_t *src)
{
	_mm_store_si128((__m128i *)dst, _mm_loadu_si128((const __m128i *)src));
}

INLINE void store64_sse2(uint8_t *dst, const uint8_t *src)
{
	store16(dst, src);
	store16(dst + 16, src + 16);
	store16(dst + 32, src + 32);
	store16(dst + 48, src + 48);
}

static void copy_sse2(uint8_t *dst, const uint8_t *src, size_t n)
{
	RISE(store4, 4)
	RISE(store8, 8)
	LOOP(store64_sse2, 64)
	LOOP(store16, 16)
	FALL(store8, 8)
	FALL_BYTES
}

#define AVX2	__attribute__((target("avx2")))

AVX2 INLINE void store32(uint8_t *dst, const uint8_t *src)
{
	_mm256_store_si256((__m256i *)dst,
			   _mm256_loadu_si256((const __m256i *)src));
}

AVX2 INLINE void store128_avx2(uint8_t *dst, const uint8_t *src)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)src);
	__m256i b = _mm256_loadu_si256((const __m256i *)(src + 32));
	__m256i c = _mm256_loadu_si256((const __m256i *)(src + 64));
	__m256i d = _mm256_loadu_si256((const __m256i *)(src + 96));

	_mm256_store_si256((__m256i *)dst, a);
	_mm256_store_si256((__m256i *)(dst + 32), b);
	_mm256_store_si256((__m256i *)(dst + 64), c);
	_mm256_store_si256((__m256i *)(dst + 96), d);
}

AVX2 static void copy_avx2(uint8_t *dst, const uint8_t *src, size_t n)
{
	RISE(store4, 4)
	RISE(store8, 8)
	RISE(store16, 16)
	LOOP(store128_avx2, 128)
	LOOP(store32, 32)
	FALL(store16, 16)
	FALL(store8, 8)
	FALL_BYTES
}

#define AVX512	__attribute__((target("avx512f,avx2")))

AVX512 INLINE void store64(uint8_t *dst, const uint8_t *src)
{
	_mm512_store_si512((void *)dst, _mm512_loadu_si512((const void *)src));
}

AVX512 INLINE void store256_avx512(uint8_t *dst, const uint8_t *src)
{
	__m512i a = _mm512_loadu_si512((const void *)src);
	__m512i b = _mm512_loadu_si512((const void *)(src + 64));
	__m512i c = _mm512_loadu_si512((const void *)(src + 128));
	__m512i d = _mm512_loadu_si512((const void *)(src + 192));

	_mm512_store_si512((void *)dst, a);
	_mm512_store_si512((void *)(dst + 64), b);
	_mm512_store_si512((void *)(dst + 128), c);
	_mm512_store_si512((void *)(dst + 192), d);
}

AVX512 static void copy_avx512(uint8_t *dst, const uint8_t *src, size_t n)
{
	RISE(store4, 4)
	RISE(store8, 8)
	RISE(store16, 16)
	RISE(store32, 32)
	LOOP(store256_avx512, 256)
	LOOP(store64, 64)
	FALL(store32, 32)
	FALL(store16, 16)
	FALL(store8, 8)
	FALL_BYTES
}

/*
 * String stores of whole words: each of them is an aligned store of its own,
 * and the processor need not read lines that it will store whole. That is worth
 * its start-up time from where source and destination outgrow the first cache.
 */
static void copy_string(uint8_t *dst, const uint8_t *src, size_t n)
{
	size_t words;

	RISE(store4, 4)
	RISE(store8, 8)
	RISE(store16, 16)
	if (((uintptr_t)dst & 32) && n >= 32) {
		store16(dst, src);
		store16(dst + 16, src + 16);
		dst += 32;
		src += 32;
		n -= 32;
	}
	words = n / 8;
	__asm__ volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (words)
			 : : "memory");
	n %= 8;
	FALL_BYTES
}

/* Asked once: where there is a hypervisor, CPUID takes microseconds. */
static bool has_fast_strings(void)
{
	static int known;	/* 0: not yet, 1: no, 2: yes */
	unsigned int a, b, c, d;
	int k = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!k) {
		k = 1;
		if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
			k += b >> 9 & 1;
		__atomic_store_n(&known, k, __ATOMIC_RELAXED);
	}
	return k == 2;
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && has_avx2();
}

#endif /* OCF_X86 */

static bool always(void)
{
	return true;
}

static const struct way {
	const char *name;
	bool (*runs_here)(void);
	void (*copy)(uint8_t *dst, const uint8_t *src, size_t n);
	size_t from;		/* bytes: not worth it for less */
} ways[] = {			/* the best last */
	{ "words", always, copy_words, 0 },
#if OCF_X86
	{ "sse2", always, copy_sse2, 0 },
	{ "avx2", has_avx2, copy_avx2, 0 },
	{ "avx512", has_avx512, copy_avx512, 0 },
	{ "string", has_fast_strings, copy_string, LARGE },
#endif
};

#define NR_WAYS	(sizeof(ways) / sizeof(ways[0]))

size_t ocf_copy_ways(void)
{
	return NR_WAYS;
}

const char *ocf_copy_way_name(size_t way)
{
	return ways[way].name;
}

bool ocf_copy_way(size_t way, void *dst, const void *src, size_t n)
{
	if (!ways[way].runs_here())
		return false;
	ways[way].copy(dst, src, n);
	return true;
}

static const struct way *best_way(size_t n)
{
	size_t i = NR_WAYS;

	while (!ways[--i].runs_here() || ways[i].from > n)
		;
	return &ways[i];
}

/*
 * For less than LARGE bytes, and for more. Chosen once; threads that choose at
 * the same time choose the same.
 */
static const struct way *chosen[2];

void ocf_copy(void *dst, const void *src, size_t n)
{
	const struct way **mine = &chosen[n >= LARGE];
	const struct way *way = __atomic_load_n(mine, __ATOMIC_RELAXED);

	if (!way) {
		way = best_way(n);
		__atomic_store_n(mine, way, __ATOMIC_RELAXED);
	}
	way->copy(dst, src, n);
}
