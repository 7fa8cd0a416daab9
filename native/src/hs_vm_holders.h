/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM's part of hs_holders.h: marks are JVMTI tags, the walk is FollowReferences.
 *
 * In an environment of its own, so that no other tags are touched, and only as long as it is open. What a walk does inside
 * the pause, on the VM's thread: hs_trace_see_* for each edge, which takes memory for the graph; in a child's way the first edge
 * forks, and the walk ends there in this process, and goes on in the child, where nothing calls the VM. */
#ifndef HS_VM_HOLDERS_H
#define HS_VM_HOLDERS_H

#include "hs_holders.h"
#include "hs_sampler.h"
#include "hs_slices.h"
#include "hs_vm_facts.h"
#include "hs_vm_known.h"
#include "hs_vm_mirrors.h"
#include "hs_vm_spare.h"

/* The targets: first `key_count` live objects, then the referents of an array of java.lang.ref.WeakReference. */
struct hs_vm_question {
    const struct hs_live_key *keys;
    uint32_t key_count;
    jobjectArray watched;
    uint32_t watched_count;
    jobject loaders[2]; /* as hs_vm_facts_find wants them */
};

enum { HS_VM_BEGUN = 256 };

struct hs_vm_holders {
    struct hs_vm_env vm; /* `jvmti`: its own environment; NULL when it is closed */
    struct hs_vm_access access;
    struct hs_sampler *sampler;
    const struct hs_vm_question *question;
    struct hs_vm_facts facts;
    struct hs_vm_mirrors mirrors;
    bool *is_gone; /* by target: no object was there when it was to be marked */
    jfieldID referent;
    jclass byte_array; /* local references */
    jclass char_array;
    jclass loader_class;
    jobject young;    /* likewise: a new object; NULL: none */
    jthread *threads; /* the VM's memory; the threads are local references */
    jint thread_count;
    jfieldID thread_id;
    int64_t own_thread;
    int32_t own_depth;        /* innermost frames of this thread that are HeapSampler's */
    struct hs_trace *trace;   /* while targets are marked, and in a walk */
    enum hs_status status;    /* of marking, and of what a pass begins at */
    struct hs_passes *passes; /* while short passes walk, else NULL */
    jobjectArray frontier;    /* where a pass begins; a local reference; NULL: no memory */
    /* Objects that passes have begun at, by their nodes: a later one takes the place. Weak references. */
    struct {
        uint32_t node;
        jweak object; /* NULL: none */
    } begun[HS_VM_BEGUN];
    struct hs_slices slices;
    bool is_forked;           /* a child has answered */
    struct hs_vm_spare spare; /* what a child does not get */
    struct hs_vm_heap room;
    bool
        has_places; /* hs_moves_in_pauses: else handles may have old addresses, or the VM is another one */
    bool
        shows_places; /* to the walk under way; the trace itself is the watcher's once a child's time is over */
    struct hs_vm_known known; /* others of a child's answer are not to be used */
};

/* Fills in the table. Local references stay until the caller pops its frame: so the classes that an answer speaks of are
 * there to be named. Thread: Control, in a frame of local references, with no exception pending; none is left.
 * Owns: the caller calls hs_vm_holders_end. */
void hs_vm_holders_begin(JNIEnv *jni, struct hs_sampler *sampler,
                         const struct hs_vm_question *question, struct hs_vm_holders *self,
                         struct hs_holders_vm *vm);
void hs_vm_holders_end(struct hs_vm_holders *self);

/* What FollowReferences calls, with the struct as `user_data`. */
extern const jvmtiHeapCallbacks HS_VM_HOLDERS_CALLBACKS;

/* Is the object of a target gone by now? */
bool hs_vm_holders_is_gone(struct hs_vm_holders *self, uint32_t target);

#endif
