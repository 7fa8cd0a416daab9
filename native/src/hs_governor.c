/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_governor.h"

#include <stdbool.h>

/* Parts of the budget: where a growing interval ends, and below which it shrinks. */
#define TARGET 0.6
#define LOW    0.3

/* What stays of the sum with each window. */
#define MEMORY 0.875

/* The mean cost is that of this many samples: enough to be known to some 10 %, few enough to follow a burst
 * of expensive ones within two seconds. */
#define MEAN_OF 128.0

void hs_governor_begin(struct hs_governor *governor, const struct hs_governor_reading *now,
                       uint32_t asked) {
    *governor = (struct hs_governor){
        .interval = asked,
        .last = *now,
        .first_us = governor->first_us == 0 ? now->now_us : governor->first_us,
        .allowed_ns = governor->allowed_ns,
    };
}

void hs_governor_skip(struct hs_governor *governor, const struct hs_governor_reading *now) {
    governor->last = *now;
}

static double share_of(double cost_ns, double cpu_ns) {
    return cpu_ns > 0.0 ? cost_ns / cpu_ns : 0.0;
}

static void learn_mean(struct hs_governor *governor, uint64_t measured, uint64_t measured_ns) {
    governor->measured += (double)measured;
    governor->measured_ns += (double)measured_ns;
    if (governor->measured > MEAN_OF) {
        governor->measured_ns *= MEAN_OF / governor->measured;
        governor->measured = MEAN_OF;
    }
}

struct window {
    double cost_ns;
    double cpu_ns;
};

/* Ends the window, if there is enough in it to judge. */
static bool end_window(struct hs_governor *governor, const struct hs_governor_reading *now,
                       struct window *window) {
    const struct hs_governor_reading *last = &governor->last;
    uint64_t samples = now->samples - last->samples;
    uint64_t measured = now->measured - last->measured;
    uint64_t cpu_ns = now->cpu_ns - last->cpu_ns;
    bool is_known = samples == 0 || measured > 0 || governor->measured > 0.0;
    if (now->now_us - last->now_us < HS_GOVERNOR_WINDOW_US || cpu_ns < HS_GOVERNOR_CPU_NS ||
        !is_known) {
        return false;
    }
    learn_mean(governor, measured, now->measured_ns - last->measured_ns);
    window->cost_ns = (double)samples * share_of(governor->measured_ns, governor->measured);
    window->cpu_ns = (double)cpu_ns;
    governor->cost_ns = governor->cost_ns * MEMORY + window->cost_ns;
    governor->cpu_ns = governor->cpu_ns * MEMORY + window->cpu_ns;
    governor->last = *now;
    return true;
}

/* Pays for a window above the budget, if the allowance has all that it costs. It does not where the interval has grown
 * already: then the one requested cannot be kept. */
static bool takes_allowance(struct hs_governor *governor, const struct window *window,
                            uint32_t asked, double budget) {
    double allowed_ns = governor->allowed_ns + window->cost_ns - budget * window->cpu_ns;
    bool is_start = governor->last.now_us - governor->first_us <= HS_GOVERNOR_START_US;
    bool is_paid =
        is_start && governor->interval <= asked && allowed_ns <= budget * HS_GOVERNOR_START_CPU_NS;
    if (is_paid) {
        governor->allowed_ns = allowed_ns;
    }
    return is_paid;
}

/* By which factor the interval is to change after this window. */
static double wanted_factor(struct hs_governor *governor, const struct window *window,
                            uint32_t asked, double budget) {
    double share = share_of(window->cost_ns, window->cpu_ns);
    double before = share_of(governor->cost_ns, governor->cpu_ns);
    if (share > budget) {
        return takes_allowance(governor, window, asked, budget) ? 1.0 : share / (TARGET * budget);
    }
    if (share < LOW * budget && before < LOW * budget) {
        double factor = before / (TARGET * budget);
        return factor > 0.5 ? factor : 0.5;
    }
    return 1.0;
}

static uint32_t bounded(double interval, uint32_t asked) {
    uint32_t longest = asked > HS_GOVERNOR_LONGEST ? asked : HS_GOVERNOR_LONGEST;
    if (interval >= (double)longest) {
        return longest;
    }
    return interval <= (double)asked ? asked : (uint32_t)interval;
}

uint32_t hs_governor_look(struct hs_governor *governor, const struct hs_governor_reading *now,
                          uint32_t asked, uint32_t budget) {
    struct window window;
    double factor = 1.0;
    if (end_window(governor, now, &window)) {
        factor = wanted_factor(governor, &window, asked, (double)budget / HS_WHOLE_SHARE);
    }
    if (budget >= HS_WHOLE_SHARE) {
        factor = 0.0; /* on a busy machine even more may seem to be used */
    }
    governor->interval = bounded(governor->interval * factor, asked);
    return governor->interval;
}

uint32_t hs_governor_share(const struct hs_governor *governor) {
    double share = share_of(governor->cost_ns, governor->cpu_ns);
    return share < 1.0 ? (uint32_t)(share * HS_WHOLE_SHARE) : HS_WHOLE_SHARE;
}
