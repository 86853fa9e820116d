/* The layers of a document encoder, with products of whole numbers: what document_arrays.py calculates
   in 32 bits, faster. It is a plain library, called by ctypes, and knows nothing of Python.

   Matrices are as archives store them, in 8 bits with a scale for each row. What is multiplied with
   them is rounded to two such bytes a number, with a scale for each part of a place: with a single
   byte, probabilities moved by up to 0.05. Places go through the matrices of a layer a few at a time,
   so that what is worked on stays in caches.

   Sums of products of bytes are exact, so that sets of instructions differ in the last digits of the
   few floats between products alone. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 32   /* columns of a matrix that lie together */
#define DEEP 4     /* numbers of a column that lie together */
#define PART 64    /* numbers of a place that have a scale of their own: some units are much larger */
#define BASE 255   /* of a number in two bytes: each is from -127 to 127 */
#define MOST (127 * BASE + 127)
#define SMALLEST 1e-5f
#define PLACES 24  /* places of a row that go through the matrices of a layer together */
#define MOST_ROWS 16

typedef float four __attribute__((vector_size(16)));

/* (columns / GROUP, depth / PART, PART / DEEP, GROUP, DEEP) numbers, for each column what they are
   multiples of, and (columns / GROUP, depth / PART, GROUP) sums of them. */
struct matrix {
    int32_t columns, depth;
    const int8_t *weights;
    const float *scales;
    const int32_t *totals;
};

struct layer {
    struct matrix queries_keys_values, attended, wide, narrow;
};

struct encoder {
    int32_t layers, heads, width;
    const struct layer *each;
};

/* Memory for the longest row; bytes and their scales are those of a block of places, and so are the
   hidden units, of which there is a part. */
struct work {
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
static inline void dot_vnni(const int8_t *rows, int step, const int8_t *weights, __m512i sums[ROWS][2]) {
#pragma GCC unroll 16
    for (int k = 0; k < PART; k += DEEP) {
        __m512i low = _mm512_loadu_si512(weights + GROUP * k), high = _mm512_loadu_si512(weights + GROUP * k + 64);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * step + k, DEEP);
            __m512i all = _mm512_set1_epi32(deep);
            sums[i][0] = _mm512_dpbusd_epi32(sums[i][0], all, low);
            sums[i][1] = _mm512_dpbusd_epi32(sums[i][1], all, high);
        }
    }
}
#define LARGER(a, b) _mm512_max_ps(a, b)
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
static inline void dot_avx2(const int8_t *rows, int step, const int8_t *weights, __m256i sums[ROWS][4]) {
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 1
    for (int k = 0; k < PART; k += DEEP) {
        const __m256i *by = (const __m256i *)(weights + GROUP * k);
#pragma GCC unroll 2
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * step + k, DEEP);
            /* No number is -128: pairs of products stay within 16 bits. */
            __m256i all = _mm256_set1_epi32(deep), size = _mm256_abs_epi8(all);
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                __m256i own = _mm256_sign_epi8(_mm256_loadu_si256(by + j), all);
                __m256i pairs = _mm256_maddubs_epi16(size, own);
                sums[i][j] = _mm256_add_epi32(sums[i][j], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
}
#define LARGER(a, b) _mm256_max_ps(a, b)
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
static inline void dot_neon(const int8_t *rows, int step, const int8_t *weights, int32x4_t sums[ROWS][8]) {
#pragma GCC unroll 1
    for (int k = 0; k < PART; k += DEEP) {
        int8x16_t all[ROWS];
        for (int i = 0; i < ROWS; i++) {
            int32_t deep;
            memcpy(&deep, rows + (size_t)i * step + k, DEEP);
            all[i] = vreinterpretq_s8_s32(vdupq_n_s32(deep));
        }
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            int8x16_t by = vld1q_s8(weights + GROUP * k + 16 * j);
            for (int i = 0; i < ROWS; i++) sums[i][j] = vdotq_s32(sums[i][j], by, all[i]);
        }
    }
}
#define LARGER(a, b) vmaxq_f32((float32x4_t)(a), (float32x4_t)(b))
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
static inline void dot_plain(const int8_t *rows, int step, const int8_t *weights, int32_t sums[ROWS][GROUP]) {
    for (int k = 0; k < PART; k += DEEP)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < GROUP; j++)
                for (int l = 0; l < DEEP; l++)
                    sums[i][j] += rows[(size_t)i * step + k + l] * weights[GROUP * k + DEEP * j + l];
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
static size_t laid_out(struct work *work, char *memory, size_t places, size_t width, size_t hidden) {
    char *end = memory;
    size_t rows = places + MOST_ROWS, floats = sizeof(float);
    work->together = taken(&end, rows * 3 * width * floats);
    work->queries = taken(&end, rows * 3 * width * floats);
    work->across = taken(&end, width * rows * floats);
    work->fits = taken(&end, MOST_ROWS * rows * floats);
    work->hidden = taken(&end, PLACES * PART * floats);
    work->one = taken(&end, width * floats);
    work->scales = taken(&end, PLACES * (width / PART) * floats);
    work->hidden_scales = taken(&end, PLACES * (hidden / PART) * floats);
    work->bytes = taken(&end, 2 * PLACES * width);
    work->hidden_bytes = taken(&end, 2 * PLACES * hidden);
    return (size_t)(end - memory);
}

/* The states (asked, width) of the places that are asked for, of rows end to end; `states` (places,
   width) are written over. `turns` has for each offset from -reach the cosines and the sines by which
   a head is turned. 0 where memory is missing. */
int encode(const struct encoder *of, int number, int rows, const int64_t *bounds, float *states,
           const int64_t *offsets, const float *turns, int64_t reach, const int64_t *asked_bounds,
           const int64_t *asked, float *found) {
    int64_t longest = 0;
    for (int row = 0; row < rows; row++)
        if (bounds[row + 1] - bounds[row] > longest) longest = bounds[row + 1] - bounds[row];
    struct work work;
    int head = of->width / of->heads, hidden = of->each->wide.columns;
    size_t size = laid_out(&work, NULL, longest, of->width, hidden);
    char *memory = calloc(size + 64, 1);
    const float **by = malloc((longest + 1) * sizeof *by);
    int64_t *own = malloc((longest + 1) * sizeof *own);
    if (!memory || !by || !own) {
        free(memory), free(by), free(own);
        return 0;
    }
    laid_out(&work, memory + (64 - (uintptr_t)memory % 64) % 64, longest, of->width, hidden);
    for (int row = 0; row < rows; row++) {
        int64_t start = bounds[row], places = bounds[row + 1] - start, first = asked_bounds[row];
        int asking = (int)(asked_bounds[row + 1] - first);
        for (int64_t at = 0; at < places; at++) by[at] = turns + (offsets[start + at] + reach) * head;
        for (int i = 0; i < asking; i++) own[i] = asked[first + i] - start;
        known[number].row(of, states + start * of->width, (int)places, by, own, asking, found + first * of->width,
                          &work);
    }
    free(memory), free(by), free(own);
    return 1;
}
