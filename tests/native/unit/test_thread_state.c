/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_thread_state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>

#include "hs_interval.h"
#include "hs_mem.h"

Test(self, a_thread_has_one_record_of_its_own) {
    struct hs_thread_state *self = hs_thread_state_current();
    cr_assert_not_null(self);
    cr_assert_eq(hs_thread_state_current(), self);
}

struct other {
    struct hs_thread_state *self;
    struct hs_thread_state copy;
    size_t used;
};

static void *look(void *context) {
    struct other *other = context;
    other->self = hs_thread_state_current();
    other->copy = *other->self;
    other->used = hs_mem_used();
    return NULL;
}

static struct other in_another_thread(void) {
    pthread_t thread;
    struct other other;
    cr_assert_eq(pthread_create(&thread, NULL, look, &other), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    return other;
}

Test(self, goes_with_its_thread) {
    struct hs_thread_state *mine = hs_thread_state_current();
    size_t before = hs_mem_used();
    struct other other = in_another_thread();
    cr_assert_neq(other.self, mine);
    cr_assert_gt(other.used, before);
    cr_assert_eq(hs_mem_used(), before, "no record outlives its thread");
}

Test(self, a_thread_we_have_not_met_heads_for_a_point_of_the_vm) {
    struct hs_thread_state fresh = in_another_thread().copy;
    cr_assert_eq(fresh.interval, HS_VM_DEFAULT_INTERVAL);
    cr_assert_eq(fresh.enable, 0);
    cr_assert_eq(fresh.samples, 0);
    cr_assert_not(fresh.is_hidden);
}

Test(self, threads_get_stripes_and_random_numbers_of_their_own) {
    struct other first = in_another_thread();
    struct other second = in_another_thread();
    cr_assert_neq(first.copy.stripe, second.copy.stripe);
    cr_assert_neq(first.copy.random, second.copy.random);
}

Test(self, a_sample_weighs_by_the_interval_before_it) {
    struct hs_thread_state self = {.interval = HS_VM_DEFAULT_INTERVAL};
    bool is_late;
    hs_thread_state_begin(&self, 1, 1000);
    cr_assert_eq(hs_thread_state_reach(&self, 1, 1000, false, &is_late), 1000);
    cr_assert_eq(hs_thread_state_reach(&self, 1, 64, false, &is_late), 1000,
                 "drawn before the change");
    cr_assert_eq(hs_thread_state_reach(&self, 1, 64, false, &is_late), 64);
    cr_assert_eq(hs_thread_state_reach(&self, 1, 0, false, &is_late), 64);
    cr_assert_eq(hs_thread_state_reach(&self, 1, 1000, false, &is_late), 0);
    cr_assert_eq(self.samples, 5);
}

Test(self, a_thread_that_was_there_before_weighs_by_the_default) {
    struct hs_thread_state self = {.interval = HS_VM_DEFAULT_INTERVAL};
    bool is_late;
    cr_assert_eq(hs_thread_state_reach(&self, 1, 1000, false, &is_late), HS_VM_DEFAULT_INTERVAL);
    cr_assert_eq(hs_thread_state_reach(&self, 1, 1000, false, &is_late), 1000);
}

Test(self, the_first_point_after_an_enable_is_late_only_where_that_is_to_be_feared) {
    for (int is_doubtful = 0; is_doubtful < 2; is_doubtful++) {
        struct hs_thread_state self = {.interval = HS_VM_DEFAULT_INTERVAL};
        bool is_late = is_doubtful == 0;
        (void)hs_thread_state_reach(&self, 1, 1000, is_doubtful != 0, &is_late);
        cr_assert_eq(is_late, is_doubtful != 0);
        (void)hs_thread_state_reach(&self, 1, 1000, is_doubtful != 0, &is_late);
        cr_assert_not(is_late, "the same enable");
        (void)hs_thread_state_reach(&self, 2, 1000, is_doubtful != 0, &is_late);
        cr_assert_eq(is_late, is_doubtful != 0, "the next enable");
        hs_thread_state_begin(&self, 3, 1000);
        (void)hs_thread_state_reach(&self, 3, 1000, is_doubtful != 0, &is_late);
        cr_assert_not(is_late, "a thread that began under this enable");
    }
}

/* The VM counts for its own threads: a native thread that attaches again is another one. */
Test(self, count_of_an_earlier_java_thread_is_forgotten) {
    struct hs_thread_state self = {.enable = 1, .reported = 5000};
    hs_thread_state_begin(&self, 1, 1000);
    cr_assert_eq(self.reported, 0);
}

Test(self, bytes_are_counted_within_one_enable) {
    struct hs_thread_state self = {.enable = 1, .allocated = 5000};
    bool is_late;
    (void)hs_thread_state_reach(&self, 1, 1000, false, &is_late);
    cr_assert_eq(self.allocated, 5000);
    (void)hs_thread_state_reach(&self, 2, 1000, false, &is_late);
    cr_assert_eq(self.allocated, 0);
}

/* Thinning looks at leading zeros: the chance of k of them is 2^-k. n = 1,000,000 draws, state 42;
 * the counts for k = 1 to 8 within 5 deviations each: false alarm 5e-6. */
Test(self, random_numbers_start_with_zeros_as_often_as_they_should) {
    enum { DRAWS = 1000000 };
    struct hs_thread_state self = {.random = 42};
    int zeros[9] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint32_t random = hs_thread_state_random(&self);
        for (int k = 1; k <= 8 && random >> (32 - k) == 0; k++) {
            zeros[k]++;
        }
    }
    for (int k = 1; k <= 8; k++) {
        double p = ldexp(1.0, -k);
        double deviation = sqrt(DRAWS * p * (1.0 - p));
        cr_assert_leq(fabs(zeros[k] - DRAWS * p), 5.0 * deviation, "%d zeros: %d", k, zeros[k]);
    }
}

/* n = 10,000,000 gaps, state 7: a mean of 100 has the deviation 0.0315, so 2 % are 63 of them; the share
 * of gaps of 1 (0.01, deviation 3.1e-5) and of those beyond 300 (0.0490, deviation 6.8e-5) within 5:
 * false alarm 1e-6 together. */
Test(self, gaps_are_geometric_and_none_is_empty) {
    enum { DRAWS = 10000000, MEAN = 100, FAR = 300 };
    struct hs_thread_state self = {.random = 7};
    double sum = 0.0;
    uint32_t ones = 0;
    uint32_t far = 0;
    for (int i = 0; i < DRAWS; i++) {
        hs_thread_state_draw_gap(&self, MEAN);
        cr_assert_geq(self.gap, 1);
        sum += (double)self.gap;
        ones += self.gap == 1;
        far += self.gap > FAR;
    }
    double beyond = pow(1.0 - 1.0 / MEAN, FAR);
    cr_assert_leq(fabs(sum / DRAWS - MEAN), 0.02 * MEAN, "mean %.4f", sum / DRAWS);
    cr_assert_leq(fabs((double)ones / DRAWS - 1.0 / MEAN), 1.6e-4, "%u gaps of 1", ones);
    cr_assert_leq(fabs((double)far / DRAWS - beyond), 3.4e-4, "%u gaps beyond 300", far);
}

Test(self, a_mean_of_one_gives_gaps_of_one_and_a_great_one_fits) {
    struct hs_thread_state self = {.random = 1};
    uint64_t longest = 0;
    for (int i = 0; i < 100000; i++) {
        hs_thread_state_draw_gap(&self, 1);
        cr_assert_eq(self.gap, 1);
        hs_thread_state_draw_gap(&self, INT32_MAX);
        longest = self.gap > longest ? self.gap : longest;
    }
    cr_assert_gt(longest, UINT32_MAX, "not cut off at 32 bits");
    cr_assert_leq(longest, UINT64_C(37) * INT32_MAX);
}

Test(self, a_gap_passes_over_all_but_its_last) {
    struct hs_thread_state self = {.enable = 4, .gap = 3};
    cr_assert(hs_thread_state_passes_over(&self, 4, true));
    cr_assert(hs_thread_state_passes_over(&self, 4, true));
    cr_assert_not(hs_thread_state_passes_over(&self, 4, true), "the third is inspected");
    cr_assert_eq(self.gap, 1);
}

Test(self, no_gap_of_another_enable_passes_anything_over) {
    struct hs_thread_state self = {.enable = 4, .gap = 1000};
    bool is_late;
    cr_assert_not(hs_thread_state_passes_over(&self, 5, true));
    (void)hs_thread_state_reach(&self, 5, 0, false, &is_late);
    cr_assert_eq(self.gap, 0, "to be drawn again");
    cr_assert_not(hs_thread_state_passes_over(&self, 5, true));
    self.gap = 1000;
    hs_thread_state_begin(&self, 5, 0);
    cr_assert_eq(self.gap, 0);
}

/* By bytes, each step stands for more than one allocation. */
Test(self, a_gap_passes_nothing_over_that_was_or_will_be_reached_by_bytes) {
    struct hs_interval interval;
    struct hs_thread_state self = {.enable = 4, .gap = 1000, .interval = 4096};
    hs_interval_set(&interval, 0);
    cr_assert(hs_interval_is_every(&interval));
    cr_assert_not(hs_thread_state_passes_over(&self, 4, hs_interval_is_every(&interval)),
                  "this one");
    self.interval = 0;
    hs_interval_set(&interval, HS_VM_DEFAULT_INTERVAL);
    cr_assert_not(hs_thread_state_passes_over(&self, 4, hs_interval_is_every(&interval)),
                  "the next");
    atomic_store(&interval.word, HS_VM_DEFAULT_INTERVAL); /* announced: 0 before */
    cr_assert_not(hs_thread_state_passes_over(&self, 4, hs_interval_is_every(&interval)));
    atomic_store(&interval.word, (uint64_t)HS_VM_DEFAULT_INTERVAL << 32);
    cr_assert_not(hs_thread_state_passes_over(&self, 4, hs_interval_is_every(&interval)));
    cr_assert_eq(self.gap, 1000, "none was counted");
    atomic_store(&interval.word, 0);
    cr_assert(hs_thread_state_passes_over(&self, 4, hs_interval_is_every(&interval)));
}

Test(self, a_thread_has_one_trail) {
    struct hs_thread_state *self = hs_thread_state_current();
    uint64_t before = hs_mem_used();
    for (int i = 0; i < HS_WALKS_BEFORE_MEMORY; i++) {
        cr_assert_null(hs_thread_state_last_walk(self), "not for a thread that is sampled once");
    }
    cr_assert_eq(hs_mem_used(), before);
    struct hs_last_walk *last_walk = hs_thread_state_last_walk(self);
    cr_assert_not_null(last_walk);
    cr_assert_eq(hs_thread_state_last_walk(self), last_walk);
    cr_assert_eq(last_walk->count, 0);
    cr_assert_eq(hs_mem_used(), before + sizeof *last_walk + HS_LINE);
}

static void *walk_often(void *unused) {
    struct hs_thread_state *self = hs_thread_state_current();
    for (int i = 0; i < HS_WALKS_BEFORE_MEMORY; i++) {
        (void)hs_thread_state_last_walk(self);
    }
    cr_assert_not_null(hs_thread_state_last_walk(self));
    return unused;
}

/* As many threads have one as there may be: the next has none until one of them ends. */
Test(self, trails_are_bounded) {
    enum { PIECES = HS_MAX_LAST_WALKS + 1 };
    static struct hs_thread_state steps[PIECES];
    for (int i = 0; i < PIECES; i++) {
        steps[i].walks = HS_WALKS_BEFORE_MEMORY;
        cr_assert_eq(hs_thread_state_last_walk(&steps[i]) != NULL, i < HS_MAX_LAST_WALKS,
                     "last walk %d", i);
    }
    cr_assert_null(hs_thread_state_last_walk(&steps[HS_MAX_LAST_WALKS]), "nor later");
    for (int i = 0; i < HS_MAX_LAST_WALKS; i++) {
        hs_mem_free_lines(steps[i].last_walk, sizeof *steps[i].last_walk);
    }
}

Test(self, a_record_is_known_once_it_was_made) {
    struct hs_thread_state *self = hs_thread_state_current();
    cr_assert_eq(hs_thread_state_known(), self);
}

Test(self, a_trail_ends_with_its_thread) {
    pthread_t thread;
    uint64_t before = hs_mem_used();
    cr_assert_eq(pthread_create(&thread, NULL, walk_often, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(hs_mem_used(), before);
}
