/* The chances of links in a batch of segments: what posteriors.py calculates with numpy, several times
   as fast, since each segment is gone over by itself, as far as it goes, and stays in caches. It is a
   plain library, called by ctypes, and knows nothing of Python.

   Sums are taken in a fixed order and products are never fused with them, so that sets of instructions
   find the same. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("O3", "fp-contract=off")
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#define TINY 1e-30f
#define LANES 8
#define NO_LINK -1

/* Segments of which the given words explain the made ones. Steps are those in `cells`, the numbers of
   pairs; `near` is (made, shapes, given), the chances of no link are (made, segments). `size` is what
   `given` is filled up to, a multiple of LANES. */
struct batch {
    int64_t segments, given, made, shapes, size;
    int64_t given_step, made_step, segment_step;
    const int64_t *given_lengths, *made_lengths, *shape;
    const int32_t *cells;
    const float *table, *none, *near;
};

/* Moves from each given position to each other, and turned round (size, size); by how much each is
   multiplied so that moves from a position have a sum of 1 - loose; where a segment begins. */
struct moves {
    const float *jump, *turned, *share, *start;
    float loose;
};

/* Sums over all segments: of links by pair (or a null pointer), of moves (size, size) and of first
   positions; and for each made word the chance of no link, and its best given position. */
struct found {
    double *pairs;
    float *moves, *first, *none;
    int32_t *best;
};

/* A segment's chances of being made (made, size), which become those of links; what is found forward;
   and rows of their own. Behind the given words of a segment all are 0, but for `beta`. */
struct work {
    float *links, *spoken, *before, *start, *beta, *back, *shared, *ones, *scale;
};

/* Rows begin anywhere; they are filled up with zeros, so that they are whole vectors. */
typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define PART(row, at) (*(vector *)((row) + (at)))
#define READ(row, at) (*(const vector *)((row) + (at)))

static inline float sum_of(const float *one, const float *other, int64_t size) {
    vector sums = {0};
    float all = 0;
    for (int64_t at = 0; at < size; at += LANES)
        sums += READ(one, at) * READ(other, at);
    for (int lane = 0; lane < LANES; lane++)
        all += sums[lane];
    return all;
}

/* Add rows that lie together, LANES or a multiple of it, each times one of numbers `step` apart. */
static inline void add_rows(float *sums, const float *rows, int64_t count, const float *times, int64_t step,
                            int64_t size) {
    for (int64_t row = 0; row < count; row += LANES) {
        float by[LANES];
        for (int next = 0; next < LANES; next++)
            by[next] = times[(row + next) * step];
        for (int64_t at = 0; at < size; at += LANES) {
            vector all = READ(sums, at);
#pragma GCC unroll 8
            for (int next = 0; next < LANES; next++)
                all += by[next] * READ(rows, (row + next) * size + at);
            PART(sums, at) = all;
        }
    }
}

/* IBM 1: every made word is linked for itself. */
WIDE static void by_diagonal(const struct batch *all, int64_t segment, struct work *w, float *none) {
    for (int64_t made = 0; made < all->made_lengths[segment]; made++) {
        const float *near = all->near + (made * all->shapes + all->shape[segment]) * all->given;
        float *links = w->links + made * all->size, silent = all->none[made * all->segments + segment];
        for (int64_t at = 0; at < all->given_lengths[segment]; at++)
            links[at] *= near[at];
        float total = sum_of(links, w->ones, all->size) + silent + TINY;
        for (int64_t at = 0; at < all->size; at += LANES)
            PART(links, at) /= total;
        none[made * all->segments + segment] = silent / total;
    }
}

/* The HMM, forward: `links` become forward chances of links, `before` those of positions, and `spoken`
   the chances of being made, all divided by the sum of each made word. */
WIDE static void forward(const struct batch *all, const struct moves *moves, int64_t segment, struct work *w) {
    int64_t given = all->given_lengths[segment], shape = all->shape[segment], size = all->size;
    const float *last = w->start;
    for (int64_t made = 0; made < all->made_lengths[segment]; made++) {
        const float *near = all->near + (made * all->shapes + shape) * all->given;
        const float *share = moves->share + (made * all->shapes + shape) * all->given;
        float *links = w->links + made * size, *spoken = w->spoken + made * size;
        float *before = w->before + made * size, silent = all->none[made * all->segments + segment];
        for (int64_t at = 0; at < given; at++) {
            spoken[at] = links[at] * near[at];
            w->shared[at] = last[at] * share[at];
        }
        for (int64_t at = given; at < size; at++)
            spoken[at] = 0;
        if (made) {
            for (int64_t at = 0; at < size; at++)
                links[at] = moves->loose;
            add_rows(links, moves->jump, size, w->shared, 1, size);
        }
        const float *chances = made ? spoken : last;
        for (int64_t at = 0; at < size; at += LANES) {
            PART(links, at) *= READ(chances, at);
            PART(before, at) = READ(links, at) + silent * READ(last, at);
        }
        float total = sum_of(before, w->ones, size);
        total = total > TINY ? total : TINY;
        for (int64_t at = 0; at < size; at += LANES) {
            PART(links, at) /= total;
            PART(before, at) /= total;
            PART(spoken, at) /= total;
        }
        w->scale[made] = silent / total;
        last = before;
    }
}

/* The HMM, backward: `links` become the chances of links. What is to come takes the place of `spoken`,
   and what has been, weighed, that of `before`; their products are the moves. */
WIDE static void backward(const struct batch *all, const struct moves *moves, int64_t segment,
                          struct work *w, struct found *found) {
    int64_t given = all->given_lengths[segment], shape = all->shape[segment], size = all->size;
    int64_t last = all->made_lengths[segment] - 1;
    float *none = found->none + segment;
    for (int64_t made = last; made; made--) {
        const float *share = moves->share + (made * all->shapes + shape) * all->given;
        float *links = w->links + made * size, *ahead = w->spoken + made * size;
        float *before = w->before + (made - 1) * size, silent = w->scale[made];
        none[made * all->segments] = silent * sum_of(before, w->beta, size);
        for (int64_t at = 0; at < size; at += LANES) {
            PART(links, at) *= READ(w->beta, at);
            PART(ahead, at) *= READ(w->beta, at);
            PART(w->back, at) = (vector){0};
        }
        float loose = moves->loose * sum_of(ahead, w->ones, size);
        add_rows(w->back, moves->turned, size, ahead, 1, size);
        for (int64_t at = 0; at < given; at++) {
            before[at] *= share[at];
            w->beta[at] = w->back[at] * share[at] + loose + silent * w->beta[at];
        }
    }
    none[0] = w->scale[0] * sum_of(w->start, w->beta, size);
    for (int64_t at = 0; at < size; at += LANES)
        PART(w->links, at) *= READ(w->beta, at);
    if (!found->pairs)
        return;
    for (int64_t at = 0; at < given; at++)
        found->first[at] += w->links[at];
    memset(w->before + last * size, 0, LANES * size * sizeof(float));
    for (int64_t at = 0; at < given; at++)
        add_rows(found->moves + at * size, w->spoken + size, last, w->before + at, size, size);
}

/* Count the links of a segment, or choose the best ones. */
static void keep(const struct batch *all, int64_t segment, const struct work *w, struct found *found) {
    for (int64_t made = 0; made < all->made_lengths[segment]; made++) {
        const float *links = w->links + made * all->size;
        const int32_t *cell = all->cells + made * all->made_step + segment * all->segment_step;
        int64_t best = 0, place = made * all->segments + segment;
        for (int64_t at = 0; at < all->given_lengths[segment]; at++)
            if (found->pairs)
                found->pairs[cell[at * all->given_step]] += (double)links[at];
            else
                best = links[at] > links[best] ? at : best;
        found->best[place] = links[best] > found->none[place] ? (int32_t)best : NO_LINK;
    }
}

/* Go over a batch, by IBM 1 if there are no moves; whether there was memory enough. */
int link_chances(const struct batch *all, const struct moves *moves, struct found *found) {
    size_t row = (size_t)all->size, most = ((size_t)all->made + LANES) * row;
    float *memory = calloc(3 * most + 5 * row + (size_t)all->made, sizeof(float)), *rows = memory + 3 * most;
    if (!memory)
        return 0;
    struct work w = {memory, memory + most, memory + 2 * most, rows, rows + row, rows + 2 * row,
                     rows + 3 * row, rows + 4 * row, rows + 5 * row};
    for (int64_t segment = 0; segment < all->segments; segment++) {
        int64_t given = all->given_lengths[segment], made = all->made_lengths[segment];
        memset(w.links, 0, (size_t)made * row * sizeof(float));
        memset(w.start, 0, row * sizeof(float));
        memset(w.shared, 0, row * sizeof(float));
        for (size_t at = 0; at < row; at++)
            w.ones[at] = w.beta[at] = 1;
        for (int64_t word = 0; word < made; word++) {
            const int32_t *cell = all->cells + word * all->made_step + segment * all->segment_step;
            for (int64_t at = 0; at < given; at++)
                w.links[word * all->size + at] = all->table[cell[at * all->given_step]];
        }
        if (moves) {
            memcpy(w.start, moves->start + all->shape[segment] * all->given, (size_t)given * sizeof(float));
            forward(all, moves, segment, &w);
            backward(all, moves, segment, &w, found);
        } else
            by_diagonal(all, segment, &w, found->none);
        keep(all, segment, &w, found);
    }
    free(memory);
    return 1;
}
