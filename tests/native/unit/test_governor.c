/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A made-up process: processors that allocate, samples that come as chance has it, costs that vary. All seeds
 * stand here, so each figure is the same in every run. */
#include "hs_governor.h"

#include <criterion/criterion.h>
#include <stdbool.h>

#include "seeded.h"

enum { KIB = 1024, MIB = 1024 * 1024 };
enum { ONE_PERCENT = 10000, TICK_MS = 500, MEASURED = 64 };

struct load {
    double processors;      /* busy ones */
    double bytes_per_cpu_s; /* allocated by each */
    double cost_ns;         /* of a sample, on average; exponential */
};

static struct seeded seeded;
static struct hs_governor governor;
static struct hs_governor_reading reading;

/* In a process where nothing was sampled yet. */
static void begin_first(uint32_t asked) {
    seeded = (struct seeded){.state = 7};
    reading = (struct hs_governor_reading){.now_us = 1, .cpu_ns = 1000};
    governor = (struct hs_governor){0};
    hs_governor_begin(&governor, &reading, asked);
}

/* When the allowance for the start is over. */
static void begin(uint32_t asked) {
    begin_first(asked);
    reading.now_us += HS_GOVERNOR_START_US + 1;
    hs_governor_begin(&governor, &reading, asked);
}

/* Poisson: by counting where few are expected, else normal. */
static uint64_t poisson(double mean) {
    if (mean > 100.0) {
        double sum = 0.0;
        for (int i = 0; i < 12; i++) {
            sum += seeded_unit(&seeded);
        }
        double count = mean + (sum - 6.0) * sqrt(mean);
        return count > 0.0 ? (uint64_t)count : 0;
    }
    uint64_t count = 0;
    double at = seeded_exponential(&seeded, 1.0);
    while (at < mean) {
        at += seeded_exponential(&seeded, 1.0);
        count++;
    }
    return count;
}

/* The process runs for so long at the interval in force. Returns the cost in nanoseconds. */
static double run(const struct load *load, int ms) {
    double cpu_ns = load->processors * ms * 1e6;
    double allocated = load->bytes_per_cpu_s * cpu_ns / 1e9;
    uint64_t samples = poisson(allocated / governor.interval);
    for (uint64_t i = 0; i < samples && i < MEASURED; i++) {
        reading.measured++;
        reading.measured_ns += (uint64_t)seeded_exponential(&seeded, load->cost_ns);
    }
    reading.now_us += ms * 1000;
    reading.cpu_ns += (uint64_t)cpu_ns;
    reading.samples += samples;
    return (double)samples * load->cost_ns;
}

static void look(uint32_t asked) {
    uint32_t interval = hs_governor_look(&governor, &reading, asked, ONE_PERCENT);
    cr_assert_eq(interval, governor.interval);
    cr_assert_geq(interval, asked);
    cr_assert_leq(interval, asked > HS_GOVERNOR_LONGEST ? asked : HS_GOVERNOR_LONGEST);
}

static void run_and_look(const struct load *load, double seconds, uint32_t asked) {
    for (int ms = 0; ms < (int)(seconds * 1000); ms += TICK_MS) {
        (void)run(load, TICK_MS);
        look(asked);
    }
}

/* What the load costs at the interval in force, in millionths of the processor time. */
static double expected_share(const struct load *load) {
    return load->bytes_per_cpu_s / governor.interval * load->cost_ns * 1e-9 * 1e6;
}

static const struct load USUAL = {.processors = 2, .bytes_per_cpu_s = 200e6, .cost_ns = 3000};
static const struct load HEAVY = {.processors = 8, .bytes_per_cpu_s = 3e9, .cost_ns = 20000};

TestSuite(governor);

Test(governor, within_the_budget_the_interval_stays_as_it_was_requested) {
    begin(512 * KIB);
    for (int i = 0; i < 2000; i++) {
        (void)run(&USUAL, TICK_MS);
        look(512 * KIB);
        cr_assert_eq(governor.interval, 512 * KIB);
    }
    cr_assert_float_eq(hs_governor_share(&governor), expected_share(&USUAL), 200);
}

Test(governor, a_steady_load_is_within_the_budget_after_two_seconds_and_stays_so) {
    static const double COSTS[] = {1000, 5000, 30000, 100000};
    static const double RATES[] = {200e6, 1e9, 8e9};
    for (int i = 0; i < 4 * 3; i++) {
        struct load load = {
            .processors = 1, .bytes_per_cpu_s = RATES[i / 4], .cost_ns = COSTS[i % 4]};
        begin(16 * KIB);
        run_and_look(&load, 2, 16 * KIB);
        uint32_t least = governor.interval;
        uint32_t greatest = governor.interval;
        double cost_ns = 0.0;
        uint64_t cpu_ns = reading.cpu_ns;
        for (int tick = 0; tick < 1200; tick++) {
            cost_ns += run(&load, TICK_MS);
            look(16 * KIB);
            least = governor.interval < least ? governor.interval : least;
            greatest = governor.interval > greatest ? governor.interval : greatest;
        }
        cr_assert_leq(greatest, 2 * (uint64_t)least, "load %d moves from %u to %u", i, least,
                      greatest);
        double share = cost_ns / (double)(reading.cpu_ns - cpu_ns);
        cr_assert(share <= 0.01 || greatest == HS_GOVERNOR_LONGEST, "load %d costs %f", i, share);
        cr_assert(share >= 0.0025 || least == 16 * KIB, "load %d wastes precision: %f", i, share);
    }
}

/* A thousand threads begin to allocate, in the middle of a tick. */
static void burst_after(const struct load *before) {
    for (int first_ms = 0; first_ms < TICK_MS; first_ms += 50) {
        begin(512 * KIB);
        run_and_look(before, 60, 512 * KIB);
        cr_assert_eq(governor.interval, 512 * KIB, "there is nothing to save");
        (void)run(before, first_ms);
        (void)run(&HEAVY, TICK_MS - first_ms);
        look(512 * KIB);
        run_and_look(&HEAVY, 1.5, 512 * KIB); /* of its two seconds, at most half a one is over */
        cr_assert_leq(expected_share(&HEAVY), ONE_PERCENT, "begun at %d ms", first_ms);
    }
}

Test(governor, a_burst_in_an_idle_process_is_within_the_budget_after_two_seconds) {
    static const struct load IDLE = {.processors = 0.002, .bytes_per_cpu_s = 50e6, .cost_ns = 4000};
    burst_after(&IDLE);
}

Test(governor, a_burst_in_a_busy_process_is_within_the_budget_after_two_seconds) {
    static const struct load BUSY = {.processors = 8, .bytes_per_cpu_s = 50e6, .cost_ns = 2000};
    burst_after(&BUSY);
}

Test(governor, after_a_burst_the_interval_returns_to_the_one_requested) {
    begin(512 * KIB);
    run_and_look(&HEAVY, 5, 512 * KIB);
    cr_assert_gt(governor.interval, 4 * MIB);
    run_and_look(&USUAL, 60, 512 * KIB);
    cr_assert_eq(governor.interval, 512 * KIB);
}

Test(governor, the_interval_does_not_shrink_at_the_beginning_of_a_load) {
    static const struct load CHEAP = {.processors = 8, .bytes_per_cpu_s = 5e6, .cost_ns = 5000};
    static const struct load DEAR = {.processors = 8, .bytes_per_cpu_s = 1.5e9, .cost_ns = 5000};
    begin(512 * KIB);
    run_and_look(&CHEAP, 60, 512 * KIB);
    run_and_look(&DEAR, 0.5, 512 * KIB);
    uint32_t raised = governor.interval;
    cr_assert_gt(raised, 512 * KIB, "1.4 per cent of the processor time");
    for (int tick = 0; tick < 20; tick++) {
        run_and_look(&DEAR, 0.5, 512 * KIB);
        cr_assert_geq(governor.interval, raised);
    }
}

/* Half a second of load, then a pause of a second and a half, in which little else is done. */
Test(governor, a_pause_is_not_taken_for_the_end_of_a_load) {
    static const struct load PAUSE = {.processors = 0.2, .bytes_per_cpu_s = 50e6, .cost_ns = 4000};
    begin(512 * KIB);
    run_and_look(&HEAVY, 2, 512 * KIB);
    uint32_t least = governor.interval;
    uint32_t greatest = governor.interval;
    for (int tick = 0; tick < 1000; tick++) {
        run_and_look(tick % 4 == 0 ? &HEAVY : &PAUSE, 0.5, 512 * KIB);
        least = governor.interval < least ? governor.interval : least;
        greatest = governor.interval > greatest ? governor.interval : greatest;
    }
    cr_assert_leq(greatest, 2 * (uint64_t)least, "from %u to %u", least, greatest);
}

Test(governor, code_that_warms_up_gets_its_precision_back) {
    struct load load = {.processors = 1, .bytes_per_cpu_s = 500e6, .cost_ns = 60000};
    begin(512 * KIB);
    run_and_look(&load, 3, 512 * KIB);
    cr_assert_gt(governor.interval, 2 * MIB);
    load.cost_ns = 2000;
    run_and_look(&load, 60, 512 * KIB);
    cr_assert_eq(governor.interval, 512 * KIB);
}

Test(governor, no_interval_exceeds_64_mib_unless_it_was_requested) {
    static const struct load ENDLESS = {
        .processors = 64, .bytes_per_cpu_s = 20e9, .cost_ns = 1000000};
    begin(4 * KIB);
    run_and_look(&ENDLESS, 2, 4 * KIB);
    cr_assert_eq(governor.interval, 64 * MIB);
    begin(100 * MIB);
    run_and_look(&ENDLESS, 2, 100 * MIB);
    cr_assert_eq(governor.interval, 100 * MIB);
}

Test(governor, the_whole_processor_time_is_no_budget) {
    begin(512 * KIB);
    run_and_look(&HEAVY, 2, 512 * KIB);
    cr_assert_gt(governor.interval, 512 * KIB);
    for (int tick = 0; tick < 10; tick++) {
        (void)run(&HEAVY, TICK_MS);
        reading.measured_ns += UINT64_C(100000000000); /* they had no processor meanwhile */
        cr_assert_eq(hs_governor_look(&governor, &reading, 512 * KIB, HS_WHOLE_SHARE), 512 * KIB);
        cr_assert_leq(hs_governor_share(&governor), HS_WHOLE_SHARE);
    }
}

/* 20 ms of processor time a second, of which 4 % are for three samples. It takes 2.5 s until that is enough
 * to say so. */
Test(governor, a_few_samples_of_an_idle_process_change_nothing) {
    begin(512 * KIB);
    for (int i = 0; i < 4; i++) {
        reading.now_us += TICK_MS * 1000;
        reading.cpu_ns += 10000000;
        reading.samples += 3;
        reading.measured += 1;
        reading.measured_ns += 130000;
        look(512 * KIB);
        cr_assert_eq(governor.interval, 512 * KIB);
    }
    reading.now_us += TICK_MS * 1000;
    reading.cpu_ns += 10000000;
    look(512 * KIB);
    cr_assert_gt(governor.interval, 512 * KIB, "3.1 %% of 50 ms");
}

Test(governor, looks_that_follow_quickly_count_as_one) {
    begin(512 * KIB);
    for (int ms = 0; ms < 390; ms += 10) { /* as where collections wake the sweeper */
        (void)run(&HEAVY, 10);
        look(512 * KIB);
        cr_assert_eq(governor.interval, 512 * KIB);
    }
    (void)run(&HEAVY, 10);
    look(512 * KIB);
    cr_assert_gt(governor.interval, 512 * KIB);
}

Test(governor, without_a_measured_cost_nothing_is_known) {
    begin(512 * KIB);
    reading.now_us += 1000000;
    reading.cpu_ns += 1000000000;
    reading.samples += 5;
    look(512 * KIB);
    cr_assert_eq(governor.interval, 512 * KIB);
    cr_assert_eq(hs_governor_share(&governor), 0);
    reading.now_us += 1;
    reading.measured = 1;
    reading.measured_ns = 10000;
    look(512 * KIB);
    cr_assert_eq(hs_governor_share(&governor), 50, "50 us of a second, with the samples of before");
}

Test(governor, what_was_skipped_is_not_judged) {
    begin(512 * KIB);
    run_and_look(&USUAL, 10, 512 * KIB);
    (void)run(&HEAVY, 5000); /* at the interval of another recording */
    hs_governor_skip(&governor, &reading);
    run_and_look(&USUAL, 10, 512 * KIB);
    cr_assert_eq(governor.interval, 512 * KIB);
}

Test(governor, another_interval_that_is_requested_bounds_the_next_look) {
    begin(512 * KIB);
    run_and_look(&HEAVY, 3, 512 * KIB);
    cr_assert_lt(governor.interval, HS_GOVERNOR_LONGEST);
    look(HS_GOVERNOR_LONGEST);
    cr_assert_eq(governor.interval, HS_GOVERNOR_LONGEST);
}

/* ---- the allowance ---- */

/* A program of a few seconds: at first, each stack is new. */
static const struct load STARTING = {.processors = 2, .bytes_per_cpu_s = 500e6, .cost_ns = 38000};

static double allowance_ns(void) {
    return HS_GOVERNOR_START_CPU_NS * ONE_PERCENT / HS_WHOLE_SHARE;
}

Test(governor, a_short_program_is_sampled_at_the_interval_requested) {
    begin_first(512 * KIB);
    double share = expected_share(&STARTING);
    cr_assert(share > 3 * ONE_PERCENT && share < 4 * ONE_PERCENT);
    run_and_look(&STARTING, 1.5, 512 * KIB);
    cr_assert_eq(governor.interval, 512 * KIB, "78 ms more than the budget");
    run_and_look(&STARTING, 1, 512 * KIB);
    cr_assert_gt(governor.interval, MIB, "the allowance is used up");
    cr_assert_leq(governor.allowed_ns, allowance_ns());
}

Test(governor, in_the_long_run_the_allowance_is_all_that_exceeds_the_budget) {
    begin_first(512 * KIB);
    double cost_ns = 0.0;
    uint64_t before = reading.cpu_ns;
    for (int tick = 1; tick <= 1200; tick++) {
        cost_ns += run(&STARTING, TICK_MS);
        look(512 * KIB);
        double cpu_ns = (double)(reading.cpu_ns - before);
        double last_window_ns = 0.04 * TICK_MS * 2e6; /* the one that was not paid for */
        cr_assert_leq(cost_ns, 0.01 * cpu_ns + allowance_ns() + last_window_ns);
        cr_assert(tick < 40 || cost_ns <= 0.01 * cpu_ns, "a share of %f after 20 s",
                  cost_ns / cpu_ns);
    }
}

Test(governor, a_restart_does_not_renew_the_allowance) {
    begin_first(512 * KIB);
    run_and_look(&STARTING, 2.5, 512 * KIB);
    cr_assert_gt(governor.interval, 512 * KIB);
    double used_ns = governor.allowed_ns;
    for (int i = 0; i < 100; i++) {
        hs_governor_begin(&governor, &reading, 512 * KIB);
        run_and_look(&STARTING, 0.5, 512 * KIB);
        cr_assert_gt(governor.interval, 512 * KIB, "restart %d", i);
    }
    cr_assert_eq(governor.allowed_ns, used_ns);
}

Test(governor, restarts_share_the_allowance) {
    begin_first(512 * KIB);
    int at_once = 0;
    for (int i = 0; i < 100; i++) {
        hs_governor_begin(&governor, &reading, 512 * KIB);
        run_and_look(&STARTING, 0.5, 512 * KIB);
        at_once += governor.interval == 512 * KIB;
    }
    cr_assert(at_once >= 3 && at_once <= 4, "%d windows of 26 ms", at_once);
}

Test(governor, after_a_minute_there_is_no_allowance) {
    static const struct load IDLE = {.processors = 0.2, .bytes_per_cpu_s = 50e6, .cost_ns = 4000};
    begin_first(512 * KIB);
    run_and_look(&IDLE, 61, 512 * KIB);
    run_and_look(&STARTING, 0.5, 512 * KIB);
    cr_assert_gt(governor.interval, 512 * KIB);
}

/* A window that costs more than the allowance is judged as any other. */
Test(governor, a_burst_at_the_start_is_not_allowed) {
    begin_first(512 * KIB);
    run_and_look(&HEAVY, 0.5, 512 * KIB);
    cr_assert_gt(governor.interval, 4 * MIB);
    cr_assert_eq(governor.allowed_ns, 0);
}

Test(governor, a_smaller_budget_has_a_smaller_allowance) {
    begin_first(512 * KIB);
    (void)run(&STARTING, TICK_MS);
    (void)hs_governor_look(&governor, &reading, 512 * KIB, ONE_PERCENT / 10);
    cr_assert_gt(governor.interval, 512 * KIB);
}
