/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Soft references as if they had not been used for years, so that the next collection clears those whose
 * referents are not strongly reachable. It is how the VM itself decides: by their field `timestamp`.
 *
 * References of the VM's own caches for reflection and method handles stay as they are: other threads would
 * have to fill these anew. */
#ifndef HS_VM_SOFT_H
#define HS_VM_SOFT_H

#include <jni.h>

#include "hs_status.h"

/* Thread: any Java thread, with no exception pending.
 * Fails: HS_UNSUPPORTED where this VM has no such field or no tags; HS_JVMTI, HS_NO_MEMORY. Some references may have
 * been changed even then. */
enum hs_status hs_vm_soft_age(JNIEnv *jni);

#endif
