/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Interval: the one in force, while it changes.
 *
 * The VM has a word of its own for it and draws each step with that, a moment before it calls back.
 * A control thread that changes both words may lose the processor in between, for long enough that
 * other threads draw hundreds of steps; those would be weighed with the wrong interval. So a change
 * is announced first, and a thread that finds one announced finishes it: it tells the VM (again, with the
 * same value) and then takes the announcement down. From then on every step is drawn with the new
 * interval, whatever the control thread is doing. Only the step that was drawn just before is of
 * unknown kind; it is taken for an old one. That is wrong for at most one sample of each thread that
 * is in a callback, or about to begin, at that moment.
 *
 * One word: the interval in force and the one before; they differ while a change is announced.
 * Written by a control thread (announce, finish) and by callbacks (finish), read by all. A finisher
 * that was delayed may tell the VM an outdated value: it looks at the word again and corrects that.
 * A control thread that lets all callbacks leave before it changes the interval again keeps even
 * this from happening.
 *
 * Orders: the VM's word is not ours, so fences and the thread's own order must do. Announced before the VM
 * gets it (a fence in hs_interval_change, another where a callback reads): a thread that has drawn with
 * the new interval finds the announcement or its end. Set in the VM before the announcement is taken down
 * (release there, acquire in hs_interval_drawn): a thread that has seen its end draws with the new one.
 * Checked in all interleavings by tests/model/interval.pml. */
#ifndef HS_INTERVAL_H
#define HS_INTERVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_ops.h"

struct hs_interval {
    _Atomic uint64_t word; /* the interval before << 32 | the interval in force, in bytes */
};

/* Without telling the VM: at the beginning, and where turning the events on or off tells it. */
void hs_interval_set(struct hs_interval *interval, uint32_t bytes);

/* The interval in force or about to be. Thread: Any. */
uint32_t hs_interval_now(const struct hs_interval *interval);

/* The interval in force as long as no change was finished. Thread: Any. */
uint32_t hs_interval_before(const struct hs_interval *interval);

/* Changes it here and, through ops->set_interval, in the VM.
 * Thread: the holder of HS_RANK_CONTROL. */
void hs_interval_change(struct hs_interval *interval, uint32_t bytes, const struct hs_ops *ops);

/* The interval with which the VM drew the step of the calling thread, a moment ago. Finishes a
 * change. Thread: Callback, inside the phaser. */
uint32_t hs_interval_drawn(struct hs_interval *interval, const struct hs_ops *ops);

/* Has the VM drawn the step of the calling thread, a moment ago, with the interval 0, and is no change
 * announced? Thread: Callback; needs no phaser. */
bool hs_interval_is_every(const struct hs_interval *interval);

#endif
