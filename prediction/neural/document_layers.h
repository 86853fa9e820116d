/* The layers of a document encoder for one set of instructions; document_layers.c includes this file
   once for each, with

   NAME(x)        the names of this set,
   LANES          floats of a vector,
   BIAS           what numbers of 8 bits are added to, for instructions that want them from 0,
   ROWS           rows that `dot` works on together,
   dot            adds rows (ROWS, PART) times a group of columns to (ROWS, GROUP) sums. */

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
#ifdef LARGER
    return (floats)LARGER(a, b);
#else
    ints first = a > b;
    return (floats)((first & (ints)a) | (~first & (ints)b));
#endif
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

/* A part of a place in two bytes a number, the lower ones so much further; what numbers are multiples
   of comes back. */
static inline float NAME(rounded)(const float *part, int8_t *bytes, int lower) {
    floats most = {};
    for (int i = 0; i < PART; i += LANES) {
        floats v = *(const floats *)(part + i);
        most = NAME(larger)(most, NAME(larger)(v, -v));
    }
    float largest = NAME(largest)(most);
    float steps = largest > 0 ? MOST / largest : 0;
    for (int i = 0; i < PART; i += LANES) {
        /* Adding this makes a float whole, to the nearest, and puts it into the lowest bits. */
        const floats whole = (floats){} + 12582912.0f;
        floats v = *(const floats *)(part + i) * steps + whole - whole, high = v * (1.0f / BASE) + whole;
        floats low = v - (high - whole) * BASE + whole;
        *(few *)(bytes + i) = __builtin_convertvector((ints)high + BIAS, few);
        *(few *)(bytes + lower + i) = __builtin_convertvector((ints)low + BIAS, few);
    }
    return largest / MOST;
}

/* Places in bytes times some columns of a matrix: (places, columns from `first` on), which replaces
   `out` or is added to it. `step` is from one place of `out` to the next. Bytes and scales are read to
   a multiple of ROWS. */
static void NAME(product)(const struct matrix *by, int first, int columns, const int8_t *bytes, const float *scales,
                          int places, float *out, int step, int added) {
    int parts = by->depth / PART;
    for (int column = first; column < first + columns; column += GROUP, out += GROUP) {
        for (int place = 0; place < places; place += ROWS / 2) {
            const int8_t *weights = by->weights + (size_t)column * by->depth;
            const int32_t *totals = by->totals + column * parts;
            floats found[ROWS / 2][GROUP / LANES] = {};
            for (int part = 0; part < parts; part++, weights += GROUP * PART, totals += GROUP) {
                ints sums[ROWS][GROUP / LANES];
#pragma GCC unroll 8
                for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 8
                    for (int j = 0; j < GROUP / LANES; j++) sums[i][j] = -BIAS * ((const ints *)totals)[j];
                NAME(dot)(bytes + (size_t)place * 2 * by->depth + part * PART, by->depth, weights, (void *)sums);
#pragma GCC unroll 8
                for (int i = 0; i < ROWS / 2; i++)
#pragma GCC unroll 8
                    for (int j = 0; j < GROUP / LANES; j++) {
                        floats high = __builtin_convertvector(sums[2 * i][j], floats);
                        floats low = __builtin_convertvector(sums[2 * i + 1][j], floats);
                        found[i][j] += (high * BASE + low) * scales[(place + i) * parts + part];
                    }
            }
            int last = places - place < ROWS / 2 ? places - place : ROWS / 2;
            const floats *units = (const floats *)(by->scales + column);
#pragma GCC unroll 8
            for (int i = 0; i < ROWS / 2; i++) {
                if (i == last) break;
                floats *at = (floats *)(out + (size_t)(place + i) * step);
#pragma GCC unroll 8
                for (int j = 0; j < GROUP / LANES; j++)
                    at[j] = added ? at[j] + found[i][j] * units[j] : found[i][j] * units[j];
            }
        }
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

/* Places in bytes, those of `work` of a block; `step` is from one to the next. */
static void NAME(bytes_of)(const float *rows, int step, int places, int width, int norm, struct work *work) {
    for (int at = 0; at < places; at++, rows += step) {
        const float *row = rows;
        if (norm) NAME(normed)(rows, work->one, width), row = work->one;
        for (int part = 0; part < width; part += PART) {
            int8_t *bytes = work->bytes + 2 * at * width + part;
            work->scales[(at * width + part) / PART] = NAME(rounded)(row + part, bytes, width);
        }
    }
}

/* The heads of a place turned by the angles of its offset: cosines, then sines, of the pairs of a
   head, whose halves stand one after the other. */
static void NAME(turned)(float *row, const float *by, int heads, int half) {
    for (; heads; heads--, row += 2 * half)
        for (int i = 0; i < half; i += LANES) {
            floats a = *(floats *)(row + i), b = *(floats *)(row + half + i);
            floats cosine = *(const floats *)(by + i), sine = *(const floats *)(by + half + i);
            *(floats *)(row + i) = a * cosine - b * sine;
            *(floats *)(row + half + i) = a * sine + b * cosine;
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
    float *across = work->across, *fits = work->fits, shares[BLOCK];
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
                shares[i] = 1 / NAME(total)(sum);
            }
            NAME(block)(fits, wide, values + own, step, places, head, query, step);
            for (int i = 0; i < last; i++)
                for (int k = 0; k < head; k += LANES) *(floats *)(query + (size_t)i * step + k) *= shares[i];
        }
    }
}

/* What a layer's wide and narrow matrices add to places; a part of the hidden units after another. */
static void NAME(widened)(const struct layer *layer, float *states, int places, int width, struct work *work) {
    int hidden = layer->wide.columns, parts = hidden / PART;
    NAME(bytes_of)(states, width, places, width, 1, work);
    for (int part = 0; part < parts; part++) {
        NAME(product)(&layer->wide, part * PART, PART, work->bytes, work->scales, places, work->hidden, PART, 0);
        for (int at = 0; at < places; at++) {
            float *units = work->hidden + at * PART;
            for (int i = 0; i < PART; i += LANES) {
                floats v = NAME(larger)(*(floats *)(units + i), (floats){});
                *(floats *)(units + i) = v * v;
            }
            int8_t *bytes = work->hidden_bytes + 2 * at * hidden + part * PART;
            work->hidden_scales[at * parts + part] = NAME(rounded)(units, bytes, hidden);
        }
    }
    NAME(product)(&layer->narrow, 0, width, work->hidden_bytes, work->hidden_scales, places, states, width, 1);
}

/* The states of the places of a row that are asked for, from those that its embeddings add up to. */
static void NAME(row)(const struct encoder *of, float *states, int places, const float *const *turns,
                      const int64_t *asked, int asking, float *found, struct work *work) {
    int width = of->width, three = 3 * width, heads = of->heads, head = width / heads;
    for (int number = 0; number < of->layers; number++) {
        const struct layer *layer = of->each + number;
        float *together = work->together, *queries = together;
        int rows = places;
        for (int first = 0; first < places; first += PLACES) {
            int some = places - first < PLACES ? places - first : PLACES;
            float *own = together + (size_t)first * three;
            NAME(bytes_of)(states + (size_t)first * width, width, some, width, 1, work);
            NAME(product)(&layer->queries_keys_values, 0, three, work->bytes, work->scales, some, own, three, 0);
            for (int i = 0; i < some; i++) {
                NAME(turned)(own + i * three, turns[first + i], 2 * heads, head / 2);
            }
        }
        if (number == of->layers - 1) {
            queries = work->queries;
            rows = asking;
            for (int i = 0; i < asking; i++) {
                memcpy(queries + (size_t)i * three, together + (size_t)asked[i] * three, width * sizeof(float));
                memmove(states + (size_t)i * width, states + (size_t)asked[i] * width, width * sizeof(float));
            }
        }
        NAME(attend)(queries, rows, together + width, together + 2 * width, places, three, heads, head, work);
        for (int first = 0; first < rows; first += PLACES) {
            int some = rows - first < PLACES ? rows - first : PLACES;
            float *own = states + (size_t)first * width;
            NAME(bytes_of)(queries + (size_t)first * three, three, some, width, 0, work);
            NAME(product)(&layer->attended, 0, width, work->bytes, work->scales, some, own, width, 1);
            NAME(widened)(layer, own, some, width, work);
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
#undef LARGER
#undef BIAS
#undef ROWS
