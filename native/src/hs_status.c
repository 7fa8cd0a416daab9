/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_status.h"

#include <stddef.h>

static const char *const TEXTS[HS_STATUS_COUNT] = {
    [HS_OK] = "success",
    [HS_INVALID] = "an argument is out of range",
    [HS_NO_MEMORY] = "no native memory is left",
    [HS_FULL] = "a bounded table is full",
    [HS_BUSY] = "a recording is open",
    [HS_CLOSED] = "the recording is closed",
    [HS_TOO_MANY] = "too many recordings are open",
    [HS_OWNED] = "another agent owns heap sampling in this JVM",
    [HS_JVMTI] = "the JVM refused a JVMTI call",
    [HS_UNSUPPORTED] = "this JVM has no heap sampling",
    [HS_NO_THREAD] = "the background thread could not be started",
    [HS_VM_DEAD] = "the JVM is shutting down",
    [HS_OWN] = "an allocation of HeapSampler itself",
    [HS_NO_STACK] = "the JVM gave no stack",
    [HS_CHANGED] = "another has changed the limits or the strategy meanwhile",
    [HS_NOT_ATTACHED] = "the background thread could not attach to the JVM in time",
    [HS_STUCK] = "a thread is suspended inside a sample",
    [HS_INSIDE] = "this thread is inside a snapshot of HeapSampler",
    [HS_MISCOUNTED] = "the snapshot is not as long as was counted before",
};

const char *hs_status_text(int status) {
    return status >= 0 && status < HS_STATUS_COUNT ? TEXTS[status] : NULL;
}
