/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Intake: what happens to a sample after the VM has called back, in this order.
 *
 *   pass over  where allocations are counted, most of them are not samples
 *   enter      the phaser, then the session: nothing that it leads to is freed until the thread leaves
 *   step       with which interval the VM has drawn the sample, and whether it is one at all
 *   match      which recordings want its thread, its class and this moment; the class is named only where one wants
 *              the thread
 *   keep       not a phantom, and within the rate limit
 *   count      at its stack, its thread and its labels, in the sums of each of these recordings; the labels are those of
 *              the innermost scope of the thread, or else of its OpenTelemetry record
 *   track      a weak reference to the object, in the live table
 *   leave      the phaser
 *
 * A sample that ends early has left the phaser, holds no reference, and has counted one cause at each recording
 * that wanted it; where no recording did, it has counted nothing. What only the VM knows comes through a table of
 * functions. hs_vm.c fills it in; tests put fakes there.
 *
 * Not here: the code of that way (hs_intake_sample.h), how the VM finds a name or a stack (hs_vm_*), who publishes
 * a session (hs_sampler_switch.c). */
#ifndef HS_INTAKE_H
#define HS_INTAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "hs_cost.h"
#include "hs_epochs.h"
#include "hs_interval.h"
#include "hs_lookup.h"
#include "hs_otel.h"
#include "hs_phaser.h"
#include "hs_rate_limit.h"
#include "hs_session.h"
#include "hs_strategy.h"
#include "hs_sweeper.h"
#include "hs_tally.h"

/* All that callbacks see of the sampler: a part of struct hs_sampler. "Control" is the holder of HS_RANK_CONTROL.
 * A field is constant if control writes it only while no session is published and no callback is inside: the
 * publication of the next session (release) and its load (acquire) order that write before every read.
 *
 * The first line of memory is read by each sample, in this order, and seldom written. */
struct hs_intake {
    /* Control adds 1 before it publishes the first session of an enable. Relaxed: a callback that loads that session
     * sees the new number. The read before entering may be stale; then it passes over one allocation more. */
    _Alignas(64) _Atomic uint32_t enable;
    /* Set once by control, when another agent has sampling. Relaxed: callbacks of the next session see it. */
    _Atomic bool has_rival;
    /* Constant: the VM counts bytes while sampling is off (from JDK 25 on). */
    bool counts_always;
    /* The interval of the VM. Written by control and by callbacks, read by both; orders: hs_interval.h. */
    struct hs_interval interval;
    /* Exchanged by control and by the death of the VM, loaded by callbacks; NULL: sampling is off. seq_cst on both
     * sides, for the proof in hs_phaser.h. A callback enters the phaser and then loads this; control exchanges
     * this and then looks at the phaser. All four are in one order, so that either the callback has the new
     * session, or control sees it inside and frees nothing of the old one. */
    _Atomic(struct hs_session *) session;
    const struct hs_ops *ops;    /* constant */
    struct hs_strategy strategy; /* constant */
    struct hs_epochs *epochs;    /* constant; callbacks read its counters only: hs_epochs.h */
    /* Threads inside the facade. They write it, callbacks read it. Relaxed: each thread sees its own call. */
    _Atomic uint32_t facade_calls;

    /* Every sample reads `left`; those that are measured, 64 in 0.4 s, write. The sweeper renews it. Relaxed. */
    _Alignas(64) struct hs_cost cost;
    /* The thread context of OpenTelemetry. A sample without a label loads the first word, beside the cost: hs_otel.h. */
    struct hs_otel otel;
    struct hs_sweeper *sweeper; /* constant; callbacks only wake it */

    /* Callbacks count themselves in a stripe; control waits until each is empty. Orders: hs_phaser.h. */
    struct hs_phaser phaser;
    /* Of HS_BY_TIME. Written by callbacks, and by control as a constant is. Orders: hs_rate_limit.h. */
    _Alignas(64) struct hs_rate_limit rate_limit;
    /* Threads that have begun. They write it, control reads it. Relaxed. */
    _Atomic uint64_t births;
    /* What the VM's side of a sample needs to find stacks. Written by callbacks and control: see there. */
    struct hs_lookup lookup;
};

_Static_assert(offsetof(struct hs_intake, cost) == 64, "what each sample reads is one line");

/* A sample as the VM reports it. The VM's own view of it begins with this. */
struct hs_report {
    uint64_t size;   /* of the object, in bytes */
    bool has_thread; /* JDK 21 reports none while a native thread is being attached */
    bool has_object; /* JDK 28 reports none for some value objects */
};

/* The class of the object. Where its name has no number, it is the text itself, not terminated. */
struct hs_intake_class {
    struct hs_name_id name;
    uint32_t bytes;
    const char *text;
};

/* A stack as one number. What was lost of it has a flag. */
struct hs_intake_stack {
    struct hs_stack_id stack; /* where the status is HS_OK */
    bool is_truncated;        /* deeper frames were cut */
    bool is_missing;          /* the VM gave no stack: the empty one stands in */
    bool is_shortened;        /* no room for all of it */
    bool lacks_names;         /* no room for the names of deeper frames, which were cut */
};

/* What the intake queries from the VM for the sample at hand, in this order, each at most once, on the thread that
 * allocates, inside the phaser. They take no lock and run no Java code. */
struct hs_intake_ops {
    /* The other calls follow. `self` is that of the running thread. */
    void (*begin)(struct hs_report *report, struct hs_thread_state *self);
    /* Is the sample due to what its thread has allocated? See hs_vm_is_due. Not called if the VM counts always. */
    bool (*is_due)(struct hs_report *report, struct hs_bias *bias, uint32_t drawn);
    /* The Java thread id; -1 where it is not known. */
    int64_t (*thread_id)(struct hs_report *report);
    /* Fails: HS_FULL, HS_NO_MEMORY, HS_NO_STACK; the name has no number then. */
    enum hs_status (*name_class)(struct hs_report *report, struct hs_store *store,
                                 struct hs_intake_class *class);
    /* The stack of the running thread. Fails: HS_OWN, HS_NO_MEMORY; see hs_vm_find_stack. */
    enum hs_status (*find_stack)(struct hs_report *report, struct hs_store *store, uint32_t random,
                                 bool inside_facade, struct hs_intake_stack *found);
    /* The number of the thread in the table. Fails: HS_FULL, HS_NO_MEMORY; the number is HS_THREAD_OTHER then. */
    enum hs_status (*number_thread)(struct hs_report *report, struct hs_store *store,
                                    int64_t java_thread, struct hs_thread_id *id);
    /* A weak reference to the object; 0 sets `*cause`. Owns: the caller. */
    hs_ref (*new_ref)(struct hs_report *report, enum hs_drop *cause);
    /* Gives a weak reference back. */
    void (*release)(struct hs_report *report, hs_ref ref);
};

/* Off, by bytes, at the interval that the VM has on its own. All that it is given outlives it. */
void hs_intake_init(struct hs_intake *intake, const struct hs_ops *ops, struct hs_epochs *epochs,
                    struct hs_sweeper *sweeper);

/* Thread: holder of HS_RANK_CONTROL, as for a constant. Fails: HS_INVALID for an amount out of range. */
enum hs_status hs_intake_set_strategy(struct hs_intake *intake, const struct hs_strategy *strategy);

/* The session, which may be used only after hs_phaser_enter. That is seq_cst as this is: see `session`. */
static inline struct hs_session *hs_intake_load_session(struct hs_intake *intake) {
    return atomic_load_explicit(&intake->session, memory_order_seq_cst);
}

/* Samples that were picked, counted beside the lookup's counts. Thread of the first: Callback; of the second: Any. */
static inline void hs_intake_count_seen(struct hs_intake *intake, uint32_t stripe) {
    hs_tally_add_to(&intake->lookup.counts, stripe, HS_LOOKUP_OWNERS_COUNT, 1);
}

static inline uint64_t hs_intake_seen(const struct hs_intake *intake) {
    return hs_tally_sum_of(&intake->lookup.counts, HS_LOOKUP_OWNERS_COUNT);
}

/* hs_session_count for a sample without labels of its own: with those of the OpenTelemetry record of its thread, and with its
 * span as an example. `self` is that of the running thread. Thread: Callback, inside the phaser. */
void hs_intake_count_otel(struct hs_intake *intake, const struct hs_session *session,
                          struct hs_thread_state *self, struct hs_event *event,
                          struct hs_stack_id stack);

/* Counts a loss at every recording. Thread: Any. */
void hs_intake_lose(struct hs_intake *intake, enum hs_drop cause);

/* A platform thread begins: the running one. While sampling is off only an existing record is renewed; one that is
 * made later begins with the right interval. Thread: Callback. */
void hs_intake_thread(struct hs_intake *intake);

#endif
