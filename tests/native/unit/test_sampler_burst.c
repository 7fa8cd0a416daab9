/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A thousand threads begin to allocate at once. Sampler, intake, governor and what the sweeper does are the real ones;
 * the clocks, the threads and the VM's sample points are made up, with a seed, so each run is the same. */
#include <stdbool.h>

#include "made_up_clocks.h"
#include "running_sampler.h"
#include "seeded.h"

enum { CROWD = 1000, INTERVAL = 512 * 1024, OBJECT = 64 };
enum { STEP_MS = 10, SECOND_MS = 1000 };
enum { THINNED_NS = 300 }; /* what a sample costs that is not picked */

struct load {
    double processors;      /* busy ones */
    double bytes_per_cpu_s; /* allocated by each */
    int64_t cost_ns;        /* of a sample that is picked */
};

static const struct load IDLE = {.processors = 0.002, .bytes_per_cpu_s = 50e6, .cost_ns = 4000};
static const struct load BUSY = {.processors = 8, .bytes_per_cpu_s = 50e6, .cost_ns = 2000};
static const struct load BURST = {.processors = 8, .bytes_per_cpu_s = 3e9, .cost_ns = 20000};

static void make_up_clocks(void) {
    monotonic_ns = hs_clock_ns(CLOCK_MONOTONIC);
    process_ns = hs_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    is_made_up = true;
}

/* ---- the process ---- */

struct thread {
    struct hs_thread_state self;
    double left; /* bytes to its next sample point */
};

static struct hs_sampler sampler;
static struct seeded seeded;
static struct thread threads[CROWD];
static int64_t cost_ns;   /* of all samples */
static int64_t picked_ns; /* of one that is picked */
static int64_t since_ms;

static void begin_thread(struct thread *thread) {
    *thread = (struct thread){.self = {.random = seeded_next(&seeded)}};
    thread->self.stripe = (uint32_t)(thread - threads);
    hs_thread_state_begin(&thread->self, atomic_load(&sampler.intake.enable), fake.interval);
    thread->left = seeded_exponential(&seeded, fake.interval);
}

/* The sweeper does not tick by itself, but where the test says so. */
static void set_up(void) {
    const struct hs_hold wanted = {.interval = INTERVAL, .name = "application"};
    struct hs_hold_id id;
    sampler_begin(&sampler);
    cr_assert_eq(
        hs_sampler_hold(&sampler, FAKE_ENV, sampler.config_version, INTERVAL, &wanted, &id), HS_OK);
    hs_sweeper_stop(&sampler.sweeper, INT32_MAX);
    make_up_clocks();
    seeded = (struct seeded){.state = 11};
    cost_ns = 0;
    since_ms = 0;
    for (int i = 0; i < CROWD; i++) {
        begin_thread(&threads[i]);
    }
}

static void tear_down(void) {
    is_made_up = false;
    hs_sampler_destroy(&sampler, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
}

TestSuite(sampler_burst);

static void spend(int64_t ns) {
    thread_ns += ns;
    cost_ns += ns;
}

/* Only of a sample that is picked the name of its class is looked up. */
static void spend_inside(enum fake_call call) {
    if (call == FAKE_BEGIN) {
        spend(THINNED_NS);
    } else if (call == FAKE_NAME_CLASS) {
        spend(picked_ns - THINNED_NS);
    }
}

/* On the one thread that there is, with the state of the other. */
static void sample(struct thread *thread) {
    struct hs_thread_state *self = hs_thread_state_current();
    struct fake_report report = fake_report(&sampler.intake, "shop.Cart", OBJECT);
    report.no_ref = HS_DROP_NO_REFERENCE;
    report.during = spend_inside;
    *self = thread->self;
    (void)fake_take_in(&report);
    thread->self = *self;
}

/* Each fourth time a round, as hs_sweeper.c does it. */
static void wake_sweeper(void) {
    struct hs_sweeper *sweeper = &sampler.sweeper;
    if (since_ms % HS_SWEEPER_PERIOD_MS == 0) {
        sweeper->work(sweeper->context, FAKE_ENV);
    } else {
        sweeper->tick(sweeper->context);
    }
}

/* Returns the share of the processor time that samples cost. */
static double run(const struct load *load, int ms) {
    double cpu_ns = load->processors * STEP_MS * 1e6;
    double bytes = load->bytes_per_cpu_s * cpu_ns / 1e9 / CROWD;
    int64_t before_ns = cost_ns;
    picked_ns = load->cost_ns;
    for (int end_ms = (int)since_ms + ms; since_ms < end_ms;) {
        for (int i = 0; i < CROWD; i++) {
            for (threads[i].left -= bytes; threads[i].left <= 0.0;) {
                sample(&threads[i]);
                threads[i].left += seeded_exponential(&seeded, fake.interval);
            }
        }
        monotonic_ns += STEP_MS * INT64_C(1000000);
        process_ns += (int64_t)cpu_ns;
        since_ms += STEP_MS;
        if (since_ms % HS_SWEEPER_TICK_MS == 0) {
            wake_sweeper();
        }
    }
    return (double)(cost_ns - before_ns) / (load->processors * ms * 1e6);
}

/* The burst begins at any moment of a tick. */
static void burst_after(const struct load *before) {
    for (int first_ms = 0; first_ms < HS_SWEEPER_TICK_MS; first_ms += 50) {
        set_up();
        (void)run(before, 5 * SECOND_MS + first_ms);
        cr_assert_eq(fake.interval, INTERVAL, "there is nothing to save");
        double at_once = run(&BURST, 50);
        (void)run(&BURST, 2 * SECOND_MS - 50);
        double after = run(&BURST, 2 * SECOND_MS);
        cr_assert_gt(at_once, 0.05, "it is a burst: %f", at_once);
        cr_assert_leq(after, 0.01, "begun at %d ms: %f", first_ms, after);
        cr_assert_geq(after, 0.002, "precision is not given up: %f", after);
        tear_down();
    }
}

Test(sampler_burst, in_an_idle_process_is_within_the_budget_after_two_seconds) {
    burst_after(&IDLE);
}

Test(sampler_burst, in_a_busy_process_is_within_the_budget_after_two_seconds) {
    burst_after(&BUSY);
}
