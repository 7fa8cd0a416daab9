/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the VM tells, and when: its capabilities and events, taken and given back together. What is done
 * when it tells is in hs_vm.c. */
#ifndef HS_VM_EVENTS_H
#define HS_VM_EVENTS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_status.h"

/* Pauses and the end of the VM, for as long as the environment lives. Also sets what is called.
 * Thread: Control. Fails: false, and the environment is of no use. */
bool hs_vm_events_on(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks);

/* Takes the capability to sample, which one agent can have at a time.
 * Thread: Control. `*error` is JVMTI's. Fails: HS_OWNED, HS_JVMTI; then all is as before. */
enum hs_status hs_vm_sampling_claim(jvmtiEnv *jvmti, int32_t *error);

/* With the capability: samples, and the threads that begin from now on, also when sampling is off again: a native thread that
 * detaches and attaches meanwhile has a new step, but the record of its old one.
 * Thread: Control. `*error` is JVMTI's. Fails: HS_JVMTI; then hs_vm_sampling_off undoes what was done. */
enum hs_status hs_vm_sampling_on(jvmtiEnv *jvmti, uint32_t interval, int32_t *error);

/* Also of what was claimed only. The interval is the VM's own again, and others may have the capability.
 * Thread: Control. */
void hs_vm_sampling_off(jvmtiEnv *jvmti);

/* Whether the VM tells when it runs out of memory. The capability stays.
 * Thread: Control. `*error` is JVMTI's. Fails: HS_JVMTI. */
enum hs_status hs_vm_watch_exhaustion(jvmtiEnv *jvmti, bool is_wanted, int32_t *error);

#endif
