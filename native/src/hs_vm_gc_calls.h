/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callers of System.gc(). The VM binds the native method Runtime.gc at its first call and sends NativeMethodBind
 * before. We then have it bind a function of ours, which makes the call and notes the caller.
 *
 * A VM that has bound the method before binds no other: its calls are not seen. Once bound, our function stays for as
 * long as the process lives, and so does its JVMTI environment, since a thread may be inside at any time. While
 * the engine is closed, it only makes the call. The collections that HeapSampler forces are no such calls. */
#ifndef HS_VM_GC_CALLS_H
#define HS_VM_GC_CALLS_H

#include <jni.h>

#include "hs_gc_calls.h"

/* Begins to note calls, as soon as the method is bound. `runtime_gc`: its id. Where the VM refuses, none are seen.
 * Thread: behind the door of hs_vm. */
void hs_vm_gc_calls_on(JavaVM *vm, jmethodID runtime_gc);

/* Notes no more calls; what was noted stays. Thread: as above. */
void hs_vm_gc_calls_off(void);

/* The number of calls noted so far. Thread: Control, while the engine is open. */
uint64_t hs_vm_gc_calls_count(void);

/* As hs_gc_calls_read. Thread: as above. */
bool hs_vm_gc_calls_read(uint64_t number, struct hs_gc_call *call);

#endif
