/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The calls of the core into the VM. hs_vm.c fills this in; unit tests put fakes there. The tables see a
 * VM object only as an opaque reference.
 *
 * `env` is the calling thread's access to the VM (a JNIEnv), opaque here. All functions may be
 * called while HS_RANK_CONTROL or HS_RANK_SWEEP is held, since no callback ever takes those. */
#ifndef HS_OPS_H
#define HS_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_status.h"

/* A weak global reference; 0 is none. */
typedef uintptr_t hs_ref;

#define HS_WHOLE_HEAP 1024u

struct hs_ops {
    /* Is the object gone? Does not keep it alive. Thread: any with an env. */
    bool (*is_cleared)(void *env, hs_ref ref);
    /* Gives the reference back. Thread: any with an env. */
    void (*release)(void *env, hs_ref ref);
    /* A weak reference to a small new object that nothing else refers to; 0 on failure. */
    hs_ref (*new_garbage)(void *env);

    /* How much of the maximum heap is unused, in parts of HS_WHOLE_HEAP, garbage counted as used; all of it
     * where that is not known. Thread: any with an env. */
    uint32_t (*unused_heap)(void *env);

    /* Makes the calling native thread known to the VM as a daemon; NULL on failure. */
    void *(*attach)(void);
    void (*detach)(void);

    /* Takes the capability, which one agent can have at a time; *error receives the VM's number on failure, and
     * then nothing has changed. Fails: HS_OWNED, HS_JVMTI. */
    enum hs_status (*claim)(int32_t *error);
    /* With the capability: turns the events on. After a failure, with *error as above, some may be on until disable.
     * Fails: HS_JVMTI. */
    enum hs_status (*enable)(uint32_t interval, int32_t *error);
    /* Turns the events off, if they are on, and gives the capability back. Callbacks in flight may go on. */
    void (*disable)(void);
    /* Thread: any; several at once, and again with the same value (hs_interval.h). */
    void (*set_interval)(uint32_t interval);
    /* Enables or disables the event for exhausted memory or threads; *error as above. */
    enum hs_status (*watch_exhaustion)(bool is_wanted, int32_t *error);
    /* Runs a full collection and waits for it, as far as the VM allows. */
    void (*force_collection)(void);
};

#endif
