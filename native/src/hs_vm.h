/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM: with the other hs_vm_* the only code that calls JVMTI.
 *
 * One environment and one sampler per loaded library. Events: SampledObjectAlloc
 * while sampling is on; ThreadStart since it was on first; collection events and VMDeath always (they cost nothing
 * between pauses, and ages stay right while sampling is paused). */
#ifndef HS_VM_H
#define HS_VM_H

#include <jni.h>
#include <jvmti.h>

#include "hs_sampler.h"
#include "hs_vm_names.h"

/* Takes a JVMTI environment and makes the sampler; no sampling yet. Where that was done before, there
 * is one more user of it: an agent, or a copy of the Java classes.
 * `package`: which one HeapSampler's own classes lie in, such as "io.heapsampler": stacks with frames of
 * that package or of its `internal` are not sampled. That of the first user counts; a name that is too
 * long is none.
 * Thread: one that the VM knows; several may open and close at a time.
 * Fails, and has then counted no user: HS_UNSUPPORTED, HS_NO_MEMORY, HS_JVMTI. */
enum hs_status hs_vm_open(JavaVM *vm, JNIEnv *jni, const char *package);

/* One user less, so only after an hs_vm_open that returned HS_OK. The holds of collected classes are given
 * back, and their sets of labels removed. The last user ends all recordings and gives the environment back. With NULL, from a thread that
 * the VM does not know, both are left to the next user. Harmless when not open. Thread: as hs_vm_open. */
void hs_vm_close(JNIEnv *jni);

/* Calls `then` when the VM has begun to live, on its first thread.
 * Thread: Agent_OnLoad. Fails: HS_UNSUPPORTED, HS_JVMTI. */
enum hs_status hs_vm_await_init(JavaVM *vm, void (*then)(JavaVM *vm, JNIEnv *jni));

/* What VM this is, and what tracking may hold, for hs_sampler_configure. Open. */
void hs_vm_traits(struct hs_vm_traits *traits, uint64_t *garbage_bytes);

/* Finds out what the VM counts for its threads (hs_vm_is_due), and whether stacks can be looked up. The first
 * call says whether they are to be, and may run Java code; later ones change nothing.
 * Thread: Control, after hs_sampler_configure, while no recording is open. */
void hs_vm_prepare_lookup(JNIEnv *jni, bool is_wanted, bool verifies_all);

/* The same, as the properties say that the VM was started with. */
void hs_vm_prepare_lookup_as_told(JNIEnv *jni);

/* The access to the VM of a thread that does not sample. Thread: Control, while open. */
void hs_vm_access_of(JNIEnv *jni, struct hs_vm_access *access);

/* The sampler; NULL when not open. Thread: Any. */
struct hs_sampler *hs_vm_sampler(void);

/* ---- in every state, also before it is open and afterwards ---- */

/* What callbacks see of the sampler. Thread: Any. */
struct hs_intake *hs_vm_intake(void);

/* The id of a java.lang.Thread; -1 if it is not known. Thread: Any that `jni` belongs to. */
int64_t hs_vm_thread_id(JNIEnv *jni, jobject thread);

/* Removes the sets of labels of Java classes that were collected. Thread: Any that `jni` belongs to. */
void hs_vm_remove_label_orphans(JNIEnv *jni);

#endif
