/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Value objects (JEP 401, preview in JDK 28): objects without identity, which have no weak reference. The VM
 * reports them to an environment with the capability can_support_value_objects only, and with NULL in the place
 * of the object. Early builds report the object, and NewWeakGlobalRef throws. */
#ifndef HS_VM_VALUES_H
#define HS_VM_VALUES_H

#include <jni.h>
#include <jvmti.h>

#include "hs_status.h"

/* Requests the capability where the VM has it; without it, allocated value objects are not sampled.
 * Thread: Control. */
void hs_vm_want_values(jvmtiEnv *jvmti);

/* NewWeakGlobalRef has returned NULL. Clears the exception that it left, and returns the cause to be counted.
 * Thread: Callback. */
enum hs_drop hs_vm_why_no_reference(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
