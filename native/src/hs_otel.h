/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* OpenTelemetry: what callbacks need to read the thread context, kept up to date by the sweeper.
 *
 * A callback loads the libraries, NULL in most processes, and the keys, inside the phaser. Both are immutable and exchanged whole.
 * An old one is *retired*: it is given back when no callback can have it any more.
 *
 * Our hold keeps a library loaded that its owner has closed. So the hold is given back, and taken anew if the library is still there,
 * when a library was loaded or unloaded, and each HS_OTEL_CHECK_US. Samples of that moment have no trace. The order: hs_otel_look
 * finds that it is time; hs_otel_retire withdraws and waits, with HS_RANK_CONTROL, because that alone may wait at the phaser;
 * hs_otel_look closes and searches, without a lock, because the loader may run foreign code. */
#ifndef HS_OTEL_H
#define HS_OTEL_H

#include <stdatomic.h>

#include "hs_otel_process.h"
#include "hs_otel_thread.h"
#include "hs_phaser.h"

#define HS_OTEL_CHECK_US INT64_C(60000000)

/* By number in Java: SamplerStatus.threadContext. */
enum hs_otel_state {
    HS_OTEL_IS_OFF,          /* no library exports the variable, or sampling is off */
    HS_OTEL_IS_ON,           /* records are read */
    HS_OTEL_HAS_NEW_VERSION, /* only a version of the variable that we do not know is there */
    HS_OTEL_CANNOT_COPY,     /* the system does not allow hs_peek */
    HS_OTEL_HAS_OTHER_SCHEMA /* the process context describes records of another version */
};

/* ENDED: no sampling, so that nothing may be published. A search may hang in the loader when sampling ends, and its thread be
 * left alone; it then withdraws all that it finds. */
enum { HS_OTEL_TAKEN = 1, HS_OTEL_ENDED = 2 };

/* All zero: off. */
struct hs_otel {
    /* Loaded by callbacks inside the phaser, exchanged by others; seq_cst, as the session: see hs_phaser.h. */
    _Atomic(struct hs_otel_libraries *) libraries;
    _Atomic(struct hs_otel_keys *) keys;
    _Atomic enum hs_otel_state state; /* relaxed */
    /* Bits HS_OTEL_TAKEN and HS_OTEL_ENDED. The rest belongs to the thread that has set the first; others do nothing then.
     * Acquire, release. */
    _Atomic uint32_t use;
    bool has_looked;
    bool wants_retirement;
    bool is_drained; /* no callback has what is retired */
    struct hs_otel_loads loads;
    struct hs_otel_process process;
    int64_t next_check_us;
    struct hs_otel_libraries *retired_libraries;
    struct hs_otel_keys *retired_keys;
};

/* Sampling begins. Thread: Control, before the sweeper is there. */
void hs_otel_begin(struct hs_otel *otel);

/* Gives back what was retired and drained, searches libraries where that is due, and reads the keys where they have changed.
 * `root`: as hs_proc's. Thread: the sweeper, without any lock. */
void hs_otel_look(struct hs_otel *otel, const struct hs_phaser *phaser, const char *root,
                  int64_t now_us);

/* Withdraws the libraries if hs_otel_look wants that, or, with `is_end`, libraries and keys, until hs_otel_begin. Waits until no callback has
 * what is retired, at most `patience_us`; what a callback keeps is waited for again in the next call.
 * Returns whether there is something for hs_otel_look or hs_otel_settle. Thread: holder of HS_RANK_CONTROL. */
bool hs_otel_retire(struct hs_otel *otel, struct hs_phaser *phaser, int64_t patience_us,
                    bool is_end);

/* Gives back what was retired and drained. Thread: the sweeper or control, without any lock. */
void hs_otel_settle(struct hs_otel *otel, const struct hs_phaser *phaser);

/* Thread: any. */
static inline enum hs_otel_state hs_otel_state(const struct hs_otel *otel) {
    return atomic_load_explicit(&otel->state, memory_order_relaxed);
}

/* May hs_otel_read find anything? Thread: any. */
static inline bool hs_otel_is_on(const struct hs_otel *otel) {
    return atomic_load_explicit(&otel->libraries, memory_order_relaxed) != NULL;
}

/* The record of the running thread, with what is loaded now; see hs_otel_thread_read. Thread: Callback, inside the phaser. */
static inline bool hs_otel_read(struct hs_otel *otel, struct hs_otel_slots *slots,
                                struct hs_otel_context *context) {
    const struct hs_otel_libraries *libraries =
        atomic_load_explicit(&otel->libraries, memory_order_seq_cst);
    return libraries != NULL &&
           hs_otel_thread_read(libraries, atomic_load_explicit(&otel->keys, memory_order_seq_cst),
                               slots, context);
}

#endif
