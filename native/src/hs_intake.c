/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_intake.h"

#include <string.h>

#include "hs_clock.h"
#include "hs_thread_state.h"

void hs_intake_init(struct hs_intake *intake, const struct hs_ops *ops, struct hs_epochs *epochs,
                    struct hs_sweeper *sweeper) {
    memset(intake, 0, sizeof *intake);
    intake->ops = ops;
    intake->epochs = epochs;
    intake->sweeper = sweeper;
    hs_interval_set(&intake->interval, HS_VM_DEFAULT_INTERVAL);
    hs_lookup_init(&intake->lookup);
    hs_cost_renew(&intake->cost);
}

enum hs_status hs_intake_set_strategy(struct hs_intake *intake,
                                      const struct hs_strategy *strategy) {
    if (!hs_strategy_is_valid(strategy)) {
        return HS_INVALID;
    }
    intake->strategy = *strategy;
    hs_rate_limit_init(&intake->rate_limit, strategy->amount,
                       (uint64_t)hs_clock_ns(CLOCK_MONOTONIC));
    return HS_OK;
}

void hs_intake_count_otel(struct hs_intake *intake, const struct hs_session *session,
                          struct hs_thread_state *self, struct hs_event *event,
                          struct hs_stack_id stack) {
    struct hs_otel_context context;
    if (hs_otel_read(&intake->otel, &self->otel, &context)) {
        hs_session_count_in(session, event, stack, &context);
    } else {
        hs_session_count(session, event, stack);
    }
}

void hs_intake_lose(struct hs_intake *intake, enum hs_drop cause) {
    const struct hs_event everyone = {.recordings = UINT64_MAX};
    uint32_t token = hs_phaser_enter(&intake->phaser, 0);
    const struct hs_session *session = hs_intake_load_session(intake);
    if (session != NULL) {
        hs_session_drop(session, &everyone, cause);
    }
    hs_phaser_exit(&intake->phaser, token);
}

void hs_intake_thread(struct hs_intake *intake) {
    atomic_fetch_add_explicit(&intake->births, 1, memory_order_relaxed);
    bool is_on = hs_intake_load_session(intake) != NULL; /* compared only, so without the phaser */
    struct hs_thread_state *self = is_on ? hs_thread_state_current() : hs_thread_state_known();
    if (self != NULL) {
        hs_thread_state_begin(self, atomic_load_explicit(&intake->enable, memory_order_relaxed),
                              hs_interval_before(&intake->interval));
    }
}
