/* The layers of a document encoder, with products in 8 bits: what document_arrays.py calculates in
   32, a few times faster. It is a plain library, called by ctypes, and knows nothing of Python.

   Matrices are as archives store them, in 8 bits with a scale for each row; what is multiplied with
   them is rounded to 8 bits as well, with a scale for each part of a place.
   A row of places is worked on from the first layer to the last, so that it stays in caches.

   Sums of 8-bit products are exact, so that sets of instructions differ in the last digits of the
   few floats between products alone. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 32   /* columns of a matrix that lie together */
#define DEEP 4     /* numbers of a column that lie together */
#define PART 64    /* numbers of a place that have a scale of their own: some units are much larger */
#define SMALLEST 1e-5f
#define MOST_ROWS 16

typedef float four __attribute__((vector_size(16)));

/* (depth / PART, columns / GROUP, PART / DEEP, GROUP, DEEP) numbers, for each column what they are
   multiples of, and (depth / PART, columns) sums of them. */
struct matrix {
    int32_t columns, depth;
    const int8_t *weights;
    const float *scales;
    const int32_t *totals;
};

/* `wide` and `narrow` have a matrix for each part of the hidden units. */
struct layer {
    struct matrix queries_keys_values, attended;
    const struct matrix *wide, *narrow;
};

struct encoder {
    int32_t layers, heads, width, parts;
    const struct layer *each;
};

/* Memory for the longest row: `most` places, with what fills blocks of them up. Bytes and their scales
   are those of all places for the first part, then for the next. */
struct work {
    int most;
    float *together, *queries, *across, *fits, *hidden, *one, *scales, *hidden_scales;
    int8_t *bytes, *hidden_bytes;
};

#if defined(__x86_64__)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")
#endif
#define ROWS 8
static inline void dot_vnni(const int8_t *rows, const int8_t *weights, const int32_t *start,
                            int32_t sums[ROWS][GROUP]) {
    __m512i found[ROWS][2];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2; j++) found[i][j] = _mm512_loadu_si512(start + 16 * j);
#pragma GCC unroll 1
    for (int k = 0; k < PART; k += DEEP) {
        __m512i low = _mm512_loadu_si512(weights + GROUP * k), high = _mm512_loadu_si512(weights + GROUP * k + 64);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * PART + k, DEEP);
            __m512i all = _mm512_set1_epi32(deep);
            found[i][0] = _mm512_dpbusd_epi32(found[i][0], all, low);
            found[i][1] = _mm512_dpbusd_epi32(found[i][1], all, high);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2; j++) _mm512_storeu_si512(sums[i] + 16 * j, found[i][j]);
}
#define NAME(x) x##_vnni
#define LANES 16
#define BIAS 128
#include "document_layers.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define ROWS 2
static inline void dot_avx2(const int8_t *rows, const int8_t *weights, const int32_t *start,
                            int32_t sums[ROWS][GROUP]) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i found[ROWS][4];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4; j++) found[i][j] = _mm256_loadu_si256((const __m256i *)(start + 8 * j));
#pragma GCC unroll 1
    for (int k = 0; k < PART; k += DEEP) {
        const __m256i *by = (const __m256i *)(weights + GROUP * k);
#pragma GCC unroll 2
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * PART + k, DEEP);
            /* No number is -128: pairs of products stay within 16 bits. */
            __m256i all = _mm256_set1_epi32(deep), size = _mm256_abs_epi8(all);
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                __m256i own = _mm256_sign_epi8(_mm256_loadu_si256(by + j), all);
                __m256i pairs = _mm256_maddubs_epi16(size, own);
                found[i][j] = _mm256_add_epi32(found[i][j], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4; j++) _mm256_storeu_si256((__m256i *)(sums[i] + 8 * j), found[i][j]);
}
#define NAME(x) x##_avx2
#define LANES 8
#define BIAS 0
#include "document_layers.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#if defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif
#define ROWS 2
static inline void dot_neon(const int8_t *rows, const int8_t *weights, const int32_t *start,
                            int32_t sums[ROWS][GROUP]) {
    int32x4_t found[ROWS][8];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 8; j++) found[i][j] = vld1q_s32(start + 4 * j);
#pragma GCC unroll 1
    for (int k = 0; k < PART; k += DEEP) {
        int8x16_t all[ROWS];
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * PART + k, DEEP);
            all[i] = vreinterpretq_s8_s32(vdupq_n_s32(deep));
        }
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            int8x16_t by = vld1q_s8(weights + GROUP * k + 16 * j);
            for (int i = 0; i < ROWS; i++) found[i][j] = vdotq_s32(found[i][j], by, all[i]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 8; j++) vst1q_s32(sums[i] + 4 * j, found[i][j]);
}
#define NAME(x) x##_neon
#define LANES 4
#define BIAS 0
#include "document_layers.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

/* Any other processor. */
#define ROWS 4
static inline void dot_plain(const int8_t *rows, const int8_t *weights, const int32_t *start,
                             int32_t sums[ROWS][GROUP]) {
    for (int i = 0; i < ROWS; i++) memcpy(sums[i], start, sizeof sums[i]);
    for (int k = 0; k < PART; k += DEEP)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < GROUP; j++)
                for (int l = 0; l < DEEP; l++)
                    sums[i][j] += rows[(size_t)i * PART + k + l] * weights[GROUP * k + DEEP * j + l];
}
#define NAME(x) x##_plain
#define LANES 4
#define BIAS 0
#include "document_layers.h"

typedef void read_row(const struct encoder *, float *, int, const float *const *, const int64_t *, int, float *,
                      struct work *);

static const struct {
    const char *name;
    read_row *row;
} known[] = {
#if defined(__x86_64__)
    {"avx512vnni", row_vnni},
    {"avx2", row_avx2},
#endif
#if defined(__aarch64__)
    {"neon", row_neon},
#endif
    {"plain", row_plain},
};
#define KNOWN ((int)(sizeof known / sizeof *known))

static int has(int number) {
    const char *name = known[number].name;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!strcmp(name, "avx512vnni"))
        return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (!strcmp(name, "avx2")) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if defined(__aarch64__) && defined(__linux__)
    if (!strcmp(name, "neon")) return (getauxval(AT_HWCAP) & (1 << 20)) != 0; /* HWCAP_ASIMDDP */
#endif
    return !strcmp(name, "plain") || !strcmp(name, "neon");
}

/* The name of a set of instructions, in the order of their speed, if this processor has it. */
const char *instructions(int number) {
    return number < 0 || number >= KNOWN ? NULL : has(number) ? known[number].name : "";
}

static void *taken(char **memory, size_t size) {
    void *found = *memory;
    *memory += (size + 63) / 64 * 64;
    return found;
}

/* Where each part of the memory for rows of so many places begins; how much it is comes back. */
static size_t laid_out(struct work *work, char *memory, size_t places, size_t width) {
    char *end = memory;
    size_t rows = places + MOST_ROWS, floats = sizeof(float);
    work->most = (int)rows;
    work->together = taken(&end, rows * 3 * width * floats);
    work->queries = taken(&end, rows * 3 * width * floats);
    work->hidden = taken(&end, rows * PART * floats);
    work->across = taken(&end, width * rows * floats);
    work->fits = taken(&end, MOST_ROWS * rows * floats);
    work->one = taken(&end, width * floats);
    work->scales = taken(&end, rows * (width / PART) * floats);
    work->hidden_scales = taken(&end, rows * floats);
    work->bytes = taken(&end, rows * width);
    work->hidden_bytes = taken(&end, rows * PART);
    return (size_t)(end - memory);
}

/* The states (asked, width) of the places that are asked for, of rows end to end; `states` (places,
   width) are written over, and may be as long as to the next multiple of MOST_ROWS. `turns` has for
   each offset from -reach the angles of its place. 0 where memory is missing. */
int encode(const struct encoder *of, int number, int rows, const int64_t *bounds, float *states,
           const int64_t *offsets, const float *turns, int64_t reach, const int64_t *asked_bounds,
           const int64_t *asked, float *found) {
    int64_t longest = 0;
    for (int row = 0; row < rows; row++)
        if (bounds[row + 1] - bounds[row] > longest) longest = bounds[row + 1] - bounds[row];
    struct work work;
    size_t size = laid_out(&work, NULL, longest, of->width);
    char *memory = calloc(size + 64, 1);
    const float **by = malloc((longest + 1) * sizeof *by);
    int64_t *own = malloc((longest + 1) * sizeof *own);
    if (!memory || !by || !own) {
        free(memory), free(by), free(own);
        return 0;
    }
    laid_out(&work, memory + (64 - (uintptr_t)memory % 64) % 64, longest, of->width);
    for (int row = 0; row < rows; row++) {
        int64_t start = bounds[row], places = bounds[row + 1] - start, first = asked_bounds[row];
        int asking = (int)(asked_bounds[row + 1] - first);
        for (int64_t at = 0; at < places; at++) by[at] = turns + (offsets[start + at] + reach) * of->width;
        for (int i = 0; i < asking; i++) own[i] = asked[first + i] - start;
        known[number].row(of, states + start * of->width, (int)places, by, own, asking, found + first * of->width,
                          &work);
    }
    free(memory), free(by), free(own);
    return 1;
}
