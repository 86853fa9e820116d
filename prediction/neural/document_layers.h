/* The layers of a document encoder for one set of instructions; document_layers.c includes this file
   once for each, with

   NAME(x)        the names of this set,
   LANES          floats of a vector,
   BIAS           what numbers of 8 bits are added to, for instructions that want them from 0,
   ROWS           rows that `dot` works on together,
   dot            rows (ROWS, PART) times a group of columns: (ROWS, GROUP) sums, from `start` on. */

typedef float NAME(floats) __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int32_t NAME(ints) __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int8_t NAME(few) __attribute__((vector_size(LANES), aligned(1)));
#define few NAME(few)
#define floats NAME(floats)
#define ints NAME(ints)

static inline float NAME(total)(floats v) {
    union { floats all; four each[LANES / 4]; } of = {v};
    for (int i = 1; i < LANES / 4; i++) of.each[0] += of.each[i];
    return of.each[0][0] + of.each[0][1] + (of.each[0][2] + of.each[0][3]);
}

static inline floats NAME(larger)(floats a, floats b) {
    ints first = a > b;
    return (floats)((first & (ints)a) | (~first & (ints)b));
}

static inline float NAME(largest)(floats v) {
    union { floats all; four each[LANES / 4]; } of = {v};
    for (int i = 1; i < LANES / 4; i++)
        for (int j = 0; j < 4; j++)
            of.each[0][j] = of.each[i][j] > of.each[0][j] ? of.each[i][j] : of.each[0][j];
    float left = of.each[0][0] > of.each[0][1] ? of.each[0][0] : of.each[0][1];
    float right = of.each[0][2] > of.each[0][3] ? of.each[0][2] : of.each[0][3];
    return left > right ? left : right;
}

/* e to the power of numbers that are at most 0, to some seven digits (Cody and Waite's reduction). */
static inline floats NAME(exponential)(floats x) {
    x = NAME(larger)(x, (floats){} - 87.0f);
    ints power = __builtin_convertvector(x * 1.44269504f - 0.5f, ints);
    floats whole = __builtin_convertvector(power, floats);
    floats rest = x - whole * 0.693359375f + whole * 2.12194440e-4f;
    floats sum = rest * 1.9875691e-4f + 1.3981999e-3f;
    sum = sum * rest + 8.3334519e-3f;
    sum = sum * rest + 4.1665796e-2f;
    sum = sum * rest + 1.6666665e-1f;
    sum = sum * rest + 5.0000001e-1f;
    sum = sum * rest * rest + rest + 1.0f;
    return sum * (floats)((power + 127) << 23);
}

/* A row in 8 bits; what its numbers are multiples of comes back. */
static float NAME(rounded)(const float *row, int8_t *bytes, int size) {
    floats most = {};
    for (int i = 0; i < size; i += LANES) {
        floats v = *(const floats *)(row + i);
        most = NAME(larger)(most, NAME(larger)(v, -v));
    }
    float largest = NAME(largest)(most);
    float steps = largest > 0 ? 127 / largest : 0;
    for (int i = 0; i < size; i += LANES) {
        /* Adding this makes a float whole, to the nearest, and puts it into the lowest bits. */
        floats v = *(const floats *)(row + i) * steps + 12582912.0f;
        *(few *)(bytes + i) = __builtin_convertvector((ints)v + BIAS, few);
    }
    return largest / 127;
}

/* Rows in 8 bits times a matrix: (rows, columns), which replaces `out` or is added to it. `step` is
   from one row of `out` to the next; rows are read to a multiple of ROWS. */
static void NAME(product)(const struct matrix *by, const struct work *work, const int8_t *bytes,
                          const float *scales, int rows, float *out, int step, int added) {
    int32_t sums[ROWS][GROUP], start[GROUP];
    const int8_t *weights = by->weights;
    const int32_t *totals = by->totals;
    for (int part = 0; part < by->depth / PART; part++) {
        for (int column = 0; column < by->columns; column += GROUP) {
            for (int j = 0; j < GROUP; j++) start[j] = -BIAS * totals[column + j];
            for (int first = 0; first < rows; first += ROWS) {
                NAME(dot)(bytes + (size_t)first * PART, weights, start, sums);
                int last = rows - first < ROWS ? rows - first : ROWS;
                for (int i = 0; i < last; i++) {
                    float *found = out + (size_t)(first + i) * step + column;
                    for (int j = 0; j < GROUP; j += LANES) {
                        floats v = __builtin_convertvector(*(ints *)(sums[i] + j), floats);
                        v *= *(const floats *)(by->scales + column + j) * scales[first + i];
                        if (added || part) v += *(floats *)(found + j);
                        *(floats *)(found + j) = v;
                    }
                }
            }
            weights += GROUP * PART;
        }
        bytes += (size_t)work->most * PART;
        scales += work->most;
        totals += by->columns;
    }
}

/* A place of many in 8 bits. */
static void NAME(rounded_place)(const float *row, int8_t *bytes, float *scales, int at, int width,
                                const struct work *work) {
    for (int part = 0; part < width / PART; part++) {
        size_t place = (size_t)part * work->most + at;
        scales[place] = NAME(rounded)(row + part * PART, bytes + place * PART, PART);
    }
}

/* The norm of a row: centred, divided by its deviation. */
static void NAME(normed)(const float *row, float *found, int size) {
    floats sum = {}, squares = {};
    for (int i = 0; i < size; i += LANES) sum += *(const floats *)(row + i);
    float mean = NAME(total)(sum) / size;
    for (int i = 0; i < size; i += LANES) {
        floats v = *(const floats *)(row + i) - mean;
        squares += v * v;
        *(floats *)(found + i) = v;
    }
    float scale = 1 / sqrtf(NAME(total)(squares) / size + SMALLEST);
    for (int i = 0; i < size; i += LANES) *(floats *)(found + i) *= scale;
}

static void NAME(normed_bytes)(const float *rows, int number, int width, struct work *work) {
    for (int row = 0; row < number; row++) {
        NAME(normed)(rows + (size_t)row * width, work->one, width);
        NAME(rounded_place)(work->one, work->bytes, work->scales, row, width, work);
    }
}

/* Pairs of numbers that stand side by side, turned by angles. */
static void NAME(turned)(float *row, const float *by, int width) {
    for (int i = 0; i < width; i += 2) {
        float a = row[i], b = row[i + 1];
        row[i] = a * by[i] - b * by[i + 1];
        row[i + 1] = a * by[i + 1] + b * by[i];
    }
}

#define BLOCK 6
/* (BLOCK, columns) = (BLOCK, depth) times (depth, columns); columns are a multiple of LANES. */
static void NAME(block)(const float *left, int left_step, const float *right, int right_step, int depth,
                        int columns, float *out, int out_step) {
    int column = 0;
    for (; column + 2 * LANES <= columns; column += 2 * LANES) {
        floats sums[BLOCK][2] = {};
        for (int k = 0; k < depth; k++) {
            const float *at = right + (size_t)k * right_step + column;
            floats a = *(const floats *)at, b = *(const floats *)(at + LANES);
            for (int i = 0; i < BLOCK; i++) {
                float by = left[(size_t)i * left_step + k];
                sums[i][0] += by * a;
                sums[i][1] += by * b;
            }
        }
        for (int i = 0; i < BLOCK; i++) {
            *(floats *)(out + (size_t)i * out_step + column) = sums[i][0];
            *(floats *)(out + (size_t)i * out_step + column + LANES) = sums[i][1];
        }
    }
    for (; column < columns; column += LANES) {
        floats sums[BLOCK] = {};
        for (int k = 0; k < depth; k++) {
            floats a = *(const floats *)(right + (size_t)k * right_step + column);
            for (int i = 0; i < BLOCK; i++) sums[i] += left[(size_t)i * left_step + k] * a;
        }
        for (int i = 0; i < BLOCK; i++) *(floats *)(out + (size_t)i * out_step + column) = sums[i];
    }
}

/* What `asking` places attend to among `places`; what is found replaces the queries. Queries, keys
   and values are of all heads, one place after another. */
static void NAME(attend)(float *queries, int asking, const float *keys, const float *values, int places,
                         int step, int heads, int head, struct work *work) {
    int wide = (places + LANES - 1) / LANES * LANES;
    float *across = work->across, *fits = work->fits;
    for (int own = 0; own < heads * head; own += head) {
        for (int at = 0; at < wide; at += LANES)
            for (int k = 0; k < head; k++)
                for (int j = 0; j < LANES; j++) across[k * wide + at + j] = keys[(size_t)(at + j) * step + own + k];
        for (int first = 0; first < asking; first += BLOCK) {
            float *query = queries + (size_t)first * step + own;
            NAME(block)(query, step, across, wide, head, wide, fits, wide);
            int last = asking - first < BLOCK ? asking - first : BLOCK;
            for (int i = 0; i < last; i++) {
                float *fit = fits + i * wide;
                for (int at = places; at < wide; at++) fit[at] = -INFINITY;
                floats most = *(floats *)fit;
                for (int at = LANES; at < wide; at += LANES) most = NAME(larger)(most, *(floats *)(fit + at));
                float largest = NAME(largest)(most);
                floats sum = {};
                for (int at = 0; at < wide; at += LANES) {
                    floats v = NAME(exponential)(*(floats *)(fit + at) - largest);
                    *(floats *)(fit + at) = v;
                    sum += v;
                }
                float share = 1 / NAME(total)(sum);
                for (int at = 0; at < wide; at += LANES) *(floats *)(fit + at) *= share;
            }
            NAME(block)(fits, wide, values + own, step, places, head, query, step);
        }
    }
}

/* The states of the places of a row that are asked for, from those that its embeddings add up to. */
static void NAME(row)(const struct encoder *of, float *states, int places, const float *const *turns,
                      const int64_t *asked, int asking, float *found, struct work *work) {
    int width = of->width, three = 3 * width, head = width / of->heads;
    for (int number = 0; number < of->layers; number++) {
        const struct layer *layer = of->each + number;
        float *together = work->together, *queries = together;
        int rows = places;
        NAME(normed_bytes)(states, places, width, work);
        NAME(product)(&layer->queries_keys_values, work, work->bytes, work->scales, places, together, three, 0);
        for (int at = 0; at < places; at++) {
            NAME(turned)(together + (size_t)at * three, turns[at], width);
            NAME(turned)(together + (size_t)at * three + width, turns[at], width);
        }
        if (number == of->layers - 1) {
            queries = work->queries;
            rows = asking;
            for (int i = 0; i < asking; i++) {
                memcpy(queries + (size_t)i * three, together + (size_t)asked[i] * three, width * sizeof(float));
                memmove(states + (size_t)i * width, states + (size_t)asked[i] * width, width * sizeof(float));
            }
        }
        NAME(attend)(queries, rows, together + width, together + 2 * width, places, three, of->heads, head, work);
        for (int at = 0; at < rows; at++)
            NAME(rounded_place)(queries + (size_t)at * three, work->bytes, work->scales, at, width, work);
        NAME(product)(&layer->attended, work, work->bytes, work->scales, rows, states, width, 1);
        NAME(normed_bytes)(states, rows, width, work);
        for (int part = 0; part < of->parts; part++) {
            NAME(product)(layer->wide + part, work, work->bytes, work->scales, rows, work->hidden, PART, 0);
            for (int at = 0; at < rows; at++) {
                float *row = work->hidden + (size_t)at * PART;
                for (int i = 0; i < PART; i += LANES) {
                    floats v = NAME(larger)(*(floats *)(row + i), (floats){});
                    *(floats *)(row + i) = v * v;
                }
                NAME(rounded_place)(row, work->hidden_bytes, work->hidden_scales, at, PART, work);
            }
            NAME(product)(layer->narrow + part, work, work->hidden_bytes, work->hidden_scales, rows, states, width, 1);
        }
    }
    for (int i = 0; i < asking; i++) NAME(normed)(states + (size_t)i * width, found + (size_t)i * width, width);
}

#undef floats
#undef ints
#undef few
#undef BLOCK
#undef NAME
#undef LANES
#undef BIAS
#undef ROWS
