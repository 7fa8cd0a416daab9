/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The native half of an SDK that shares its thread context, as OTEP 4947 wants it: a thread-local pointer that is exported, and
 * calls that change it for the running thread. Tests open it with RTLD_LOCAL, as a JVM does. It is built for each
 * way of reaching a thread-local variable. */
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

extern EXPORTED __thread void *otel_thread_ctx_v1;
__thread void *otel_thread_ctx_v1;

EXPORTED void otelctx_attach(void *record);
EXPORTED void **otelctx_slot(void);

/* Something in front of the variable, so that its offset is not 0 everywhere. */
__thread int otelctx_padding[5] = {1, 2, 3};

void otelctx_attach(void *record) {
    otelctx_padding[0]++;
    otel_thread_ctx_v1 = record;
}

void **otelctx_slot(void) {
    return &otel_thread_ctx_v1;
}
