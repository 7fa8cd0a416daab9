/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_estimate.h"

#include <criterion/criterion.h>
#include <math.h>

#include "hs_thread_state.h"
#include "seeded.h"

static const uint64_t SIZES[] = {8,      16,     24,      104,     1000,     4096,
                                 524288, 524296, 1000000, 1 << 24, 1u << 31, (uint64_t)1 << 34};
static const uint32_t INTERVALS[] = {0, 1, 8, 1024, 65536, 524288, 1u << 30, INT32_MAX};
static const uint32_t LEVELS[] = {0, 1, 2, 5, 24};
enum { SIZE_COUNT = 12, INTERVAL_COUNT = 8, LEVEL_COUNT = 5 };

/* 1 - exp(-x) without expm1: the series where the difference would cancel. */
static long double probability(uint64_t size, uint32_t interval) {
    if (interval == 0) {
        return 1.0L;
    }
    long double x = (long double)size / (long double)interval;
    if (x > 0.01L) {
        return 1.0L - expl(-x);
    }
    long double sum = 0.0L;
    long double term = x;
    for (int n = 1; n < 12; n++) {
        sum += term;
        term *= -x / (long double)(n + 1);
    }
    return sum;
}

static void assert_near(double actual, long double wanted, long double scale, const char *what,
                        uint64_t size, uint32_t interval, uint32_t level) {
    cr_assert_leq(fabsl((long double)actual - wanted), 1e-12L * scale,
                  "%s of %llu bytes at %u, level %u: %.17g, not %.17Lg", what,
                  (unsigned long long)size, interval, level, actual, wanted);
}

Test(estimate, the_probability_is_that_of_an_exponential_step) {
    for (int i = 0; i < SIZE_COUNT; i++) {
        for (int j = 0; j < INTERVAL_COUNT; j++) {
            long double p = probability(SIZES[i], INTERVALS[j]);
            double actual = hs_estimate_probability(SIZES[i], INTERVALS[j]);
            assert_near(actual, p, p, "probability", SIZES[i], INTERVALS[j], 0);
            cr_assert_gt(actual, 0.0);
            cr_assert_leq(actual, 1.0);
        }
    }
}

static void check_weight(uint64_t size, uint32_t interval, uint32_t level) {
    long double q = probability(size, interval);
    for (uint32_t i = 0; i < level; i++) {
        q /= 2.0L;
    }
    long double bytes = (long double)size;
    long double w = 1.0L / q;
    struct hs_weight weight = hs_estimate_weigh(size, interval, level);
    assert_near(weight.objects, w, w, "objects", size, interval, level);
    assert_near(weight.bytes, bytes * w, bytes * w, "bytes", size, interval, level);
    assert_near(weight.objects_variance, (1.0L - q) * w * w, w * w, "variance", size, interval,
                level);
    assert_near(weight.bytes_variance, (1.0L - q) * w * w * bytes * bytes, w * w * bytes * bytes,
                "variance of bytes", size, interval, level);
    cr_assert(isfinite(weight.bytes_variance));
    cr_assert_geq(weight.objects_variance, 0.0);
}

Test(estimate, weights_are_those_of_horvitz_and_thompson) {
    for (int i = 0; i < SIZE_COUNT; i++) {
        for (int j = 0; j < INTERVAL_COUNT; j++) {
            for (int k = 0; k < LEVEL_COUNT; k++) {
                check_weight(SIZES[i], INTERVALS[j], LEVELS[k]);
            }
        }
    }
}

Test(estimate, a_sample_of_every_allocation_is_exact) {
    struct hs_weight weight = hs_estimate_weigh(24, 0, 0);
    cr_assert_eq(weight.objects, 1.0);
    cr_assert_eq(weight.objects_variance, 0.0);
    cr_assert_eq(weight.bytes, 24.0);
    cr_assert_eq(weight.bytes_variance, 0.0);
}

/* A float has 24 bits: right to 6e-8. */
Test(estimate, a_chance_is_kept_in_the_word_and_takes_the_place_of_size_and_interval) {
    static const double CHANCES[] = {1.0, 0.5, 1.0 / 3.0, 1e-4, 1.0 / INT32_MAX, 1e-12, 1e-20};
    for (size_t i = 0; i < sizeof CHANCES / sizeof CHANCES[0]; i++) {
        uint32_t drawn = hs_estimate_drawn_by(CHANCES[i]);
        cr_assert((drawn & HS_DRAWN_BY_CHANCE) != 0);
        for (int j = 0; j < SIZE_COUNT; j++) {
            double p = hs_estimate_probability(SIZES[j], drawn);
            cr_assert_leq(fabs(p - CHANCES[i]), 6e-8 * CHANCES[i]);
            struct hs_weight weight = hs_estimate_weigh(SIZES[j], drawn, 3);
            double w = 8.0 / p;
            cr_assert_leq(fabs(weight.objects - w), 1e-12 * w);
            cr_assert_leq(fabs(weight.bytes - w * (double)SIZES[j]), 1e-12 * weight.bytes);
            cr_assert_leq(fabs(weight.objects_variance - w * w * (1.0 - p / 8.0)), 1e-12 * w * w);
        }
    }
}

/* The VM's sampler: a step of exponential length is walked off by allocated bytes; the object that
 * reaches its end is sampled, and the next step starts behind that object. */
struct walk {
    struct seeded seeded;
    double left;
};

struct sums {
    double bytes;
    double variance;
    double objects;
    double true_bytes;
    double true_objects;
    uint32_t samples;
};

static void allocate(struct walk *walk, uint64_t size, uint32_t interval, uint32_t thinning,
                     struct sums *sums) {
    sums->true_bytes += (double)size;
    sums->true_objects += 1.0;
    walk->left -= (double)size;
    if (walk->left > 0.0) {
        return;
    }
    walk->left = seeded_exponential(&walk->seeded, interval);
    if (thinning > 0 && seeded_below(&walk->seeded, 1u << thinning) != 0) {
        return;
    }
    struct hs_weight weight = hs_estimate_weigh(size, interval, thinning);
    sums->samples++;
    sums->bytes += weight.bytes;
    sums->variance += weight.bytes_variance;
    sums->objects += weight.objects;
}

static struct sums allocate_many(struct walk *walk, uint32_t count, uint32_t interval,
                                 uint32_t thinning) {
    static const uint64_t MIX[] = {16, 24, 32, 24, 200, 16, 1024, 24, 8192, 40000};
    struct sums sums = {0};
    for (uint32_t i = 0; i < count; i++) {
        allocate(walk, MIX[seeded_below(&walk->seeded, 10)], interval, thinning, &sums);
    }
    return sums;
}

/* runs = 2,000 of n = 3,000 objects (mean 4,957 bytes) at T = 16 KiB, seeds 1 and 2; about 660
 * samples a run. The mean of the runs' errors, in units of its own standard error, must lie within 4:
 * false alarm 6e-5 for each of the two sums. The estimated variance must on average be the true one:
 * mean of z^2 within 0.16 of 1, which is 5 of its deviations sqrt(2 / 2000): false alarm 6e-7. */
static void check_unbiased(uint64_t seed, uint32_t thinning) {
    enum { RUNS = 2000, OBJECTS = 3000, INTERVAL = 16384 };
    struct walk walk = {.seeded = {seed}};
    double error = 0.0, square = 0.0, object_error = 0.0, object_square = 0.0, variance = 0.0;
    walk.left = seeded_exponential(&walk.seeded, INTERVAL);
    for (int i = 0; i < RUNS; i++) {
        struct sums sums = allocate_many(&walk, OBJECTS, INTERVAL, thinning);
        double e = sums.bytes - sums.true_bytes;
        double o = sums.objects - sums.true_objects;
        error += e;
        square += e * e;
        object_error += o;
        object_square += o * o;
        variance += sums.variance;
    }
    double z = error / sqrt(square);
    double object_z = object_error / sqrt(object_square);
    double ratio = square / variance;
    cr_assert_leq(fabs(z), 4.0, "bytes: %.2f standard errors off", z);
    cr_assert_leq(fabs(object_z), 4.0, "objects: %.2f standard errors off", object_z);
    cr_assert_leq(fabs(ratio - 1.0), 0.16, "true variance is %.3f of the estimated one", ratio);
}

Test(estimate, is_unbiased_and_knows_its_error) {
    check_unbiased(1, 0);
}

Test(estimate, is_unbiased_and_knows_its_error_when_thinned) {
    check_unbiased(2, 3);
}

/* ---- samples that a collection caused ---- */

enum { RUNS = 400000 };

/* A buffer with room for `room` bytes behind its first object, of which x were allocated when a collection
 * took it, and what the VM reports of the next object, of `size` bytes. */
struct given_up {
    double room;
    double x;
    double size;
    double interval;
    double told_used;
    double told_since;
    double told_room;
};

/* The VM of JDK 17: an exponential distance that x did not reach, so the rest of it is exponential as well.
 * How often is the next object kept, in parts of how often it should be? */
static double kept_share(const struct given_up *given, struct hs_thread_state *random) {
    double kept = 0;
    for (int i = 0; i < RUNS; i++) {
        double unit = (hs_thread_state_random(random) + 0.5) / 4294967296.0;
        double point = given->x - log(unit) * given->interval;
        if (point <= given->room + given->size) {
            struct hs_refill refill = {
                .ahead = (uint64_t)fmin(ceil(point), given->room),
                .used = (uint64_t)given->told_used,
                .since = (uint64_t)given->told_since,
                .room = (uint64_t)given->told_room,
            };
            kept += hs_estimate_due((uint64_t)given->size, (uint32_t)given->interval, &refill);
        }
    }
    return kept / RUNS / -expm1(-given->size / given->interval);
}

/* n = 400,000 objects each, seed 7; the least chance is 0.8 %, so a deviation is at most 2 %; 4 of them. */
Test(estimate, sample_that_a_collection_caused_is_kept_as_often_as_its_size_says) {
    static const struct given_up GIVEN[] = {
        /* room, used of it, size, interval; told: used, since, room */
        {1000000, 0, 4096, 524288, 4096, 4096, 1000000},       /* one object in each buffer */
        {1000000, 80000, 4096, 524288, 84096, 84096, 1000000}, /* some */
        {1000000, 80000, 4096, 524288, 0, 400000, 1000000},    /* at most this many */
        {1000000, 80000, 4096, 524288, 84096, 84096, 3000000}, /* the next buffer is larger, */
        {1000000, 80000, 4096, 524288, 84096, 84096, 180000},  /* or smaller */
        {100000, 0, 4096, 524288, 4096, 40960, 100000},        /* far below the interval */
        {100000, 60000, 4096, 524288, 64096, 640960, 100000},  /* more than half was used */
        {100000, 0, 262144, 524288, 262144, 524288, 100000},   /* larger than the room */
        {100000, 0, 262144, 524288, 0, 524288, 100000},        /* nothing is known of its use */
        {30000, 0, 16384, 524288, 0, 65536, 30000},
        {1000000, 0, 262144, 524288, 262144, 262144, 1000000},
        {20000, 0, 64, 4096, 64, 64, 20000},
        /* the room ends behind what was used, but before another such object would */
        {100000, 1000, 65536, 102400, 66536, 66536, 1000000},
        {100000, 0, 262144, 524288, 50000, 50000, 1000000},
        {100000, 60000, 100000, 262144, 99000, 99000, 300000},
        {100000, 99000, 1000, 524288, 99999, 99999, 300000}, /* the very end */
        {70000, 1000, 524288, 524288, 2000, 2000, 2000000},
        {70000, 1000, 4000000, 524288, 2000, 2000, 20000000}, /* far larger than the interval */
    };
    struct hs_thread_state random = {.random = 7};
    for (size_t i = 0; i < sizeof GIVEN / sizeof *GIVEN; i++) {
        double share = kept_share(&GIVEN[i], &random);
        cr_expect_float_eq(share, 1, 0.08, "%zu: %f", i, share);
    }
}

/* The limits that doc/estimator.md states, section 4: the buffer before was smaller than half of the present
 * one and used up, or it is not known how much of it was used. As above. */
Test(estimate, where_less_is_known_the_share_is_as_documented) {
    static const struct {
        struct given_up given;
        double share;
    } GIVEN[] = {
        {{60000, 50000, 4096, 524288, 66000, 66000, 1000000}, 0.027},
        {{1000000, 0, 4096, 524288, 0, 600000, 1000000}, 1},
        {{1000000, 500000, 4096, 524288, 0, 600000, 1000000}, 0.72},
        {{1000000, 900000, 4096, 524288, 0, 2000000, 1000000}, 0.21},
    };
    struct hs_thread_state random = {.random = 7};
    for (size_t i = 0; i < sizeof GIVEN / sizeof *GIVEN; i++) {
        double share = kept_share(&GIVEN[i].given, &random);
        cr_expect_float_eq(share, GIVEN[i].share, 0.08 * GIVEN[i].share, "%zu: %f", i, share);
    }
}

/* What is known of the last buffer may be wrong: then too few are kept, never as many as without a look. */
Test(estimate, wrong_guesses_keep_too_few_rather_than_phantoms) {
    static const struct given_up GIVEN[] = {
        {100000, 99000, 4096, 524288, 103096, 500000,
         1000000},                                           /* used up, and the next is larger */
        {20000, 0, 64, 4096, 30000, 30000, 100000},          /* more than there was room for */
        {100000, 0, 262144, 524288, 900000, 900000, 100000}, /* most of it outside */
        {2000, 0, 64, 4096, 64, 64, 2000000},
    };
    struct hs_thread_state random = {.random = 7};
    for (size_t i = 0; i < sizeof GIVEN / sizeof *GIVEN; i++) {
        double share = kept_share(&GIVEN[i], &random);
        cr_expect_leq(share, 1.1, "%zu: %f", i, share);
    }
}

Test(estimate, bytes_since_the_last_sample_are_those_without_the_object) {
    cr_assert_eq(hs_estimate_since(1000, 5000, 24), 3976);
    cr_assert_eq(hs_estimate_since(0, 24, 24), 0);
    cr_assert_eq(hs_estimate_since(9000, 5000, 24), 4976, "the count of another thread");
    cr_assert_eq(hs_estimate_since(5000, 5000, 24), 0, "a buffer that is not counted yet");
    cr_assert_eq(hs_estimate_since(9000, 8, 24), 0);
    cr_assert_eq(hs_estimate_since(0, UINT64_MAX, 1), UINT64_MAX - 1);
}

/* With an overflow it would be taken for one that fits into half a buffer. */
Test(estimate, sums_of_sizes_do_not_overflow) {
    struct hs_refill refill = {
        .ahead = 1 << 20, .used = UINT64_MAX - 8, .since = UINT64_MAX - 8, .room = 1 << 20};
    double wanted =
        hs_estimate_probability(64, 524288) / hs_estimate_probability(64 + (1 << 20), 524288);
    cr_assert_float_eq(hs_estimate_due(64, 524288, &refill), wanted, 1e-12);
}

Test(estimate, chance_to_keep_such_a_sample_is_one) {
    static const uint64_t VALUES[] = {
        0, 1, 8, 64, 5000, 524288, 1 << 24, UINT64_C(1) << 40, UINT64_MAX - 8, UINT64_MAX};
    enum { COUNT = sizeof VALUES / sizeof *VALUES };
    for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
        struct hs_refill refill = {
            .ahead = VALUES[1 + i % (COUNT - 1)],
            .used = VALUES[i / COUNT % COUNT],
            .since = VALUES[i % COUNT],
            .room = VALUES[i / COUNT / COUNT],
        };
        for (int j = 1; j < COUNT; j++) {
            double chance = hs_estimate_due(VALUES[j], 524288, &refill);
            cr_assert(chance >= 0 && chance <= 1, "%f", chance);
        }
    }
}

Test(estimate, bytes_are_a_whole_number_that_never_overflows) {
    cr_assert_eq(hs_estimate_bytes(24, 0, 0), 24);
    cr_assert_eq(hs_estimate_bytes(24, 0, 3), 192);
    cr_assert_eq(hs_estimate_bytes(1000, 65536, 0), 66037); /* 66,037.27 */
    cr_assert_eq(hs_estimate_bytes(1000, 65536, 1), 132075);
    cr_assert_eq(hs_estimate_bytes(16, hs_estimate_drawn_by(1e-12), 24), UINT64_MAX);
}
