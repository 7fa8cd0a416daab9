/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* How our background thread becomes one of the VM's. */
#ifndef HS_VM_THREAD_H
#define HS_VM_THREAD_H

#include <jni.h>

/* Makes the calling thread known to the VM as a daemon: its JNIEnv, or NULL. */
void *hs_vm_attach(JavaVM *vm);

#endif
