/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The same of a version that we do not know. */
extern __attribute__((visibility("default"))) __thread void *otel_thread_ctx_v2;
__thread void *otel_thread_ctx_v2;
