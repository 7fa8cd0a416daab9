/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* OpenTelemetry process context: finds the header that an SDK publishes in this process, and reads its payload when that
 * has changed.
 *
 * The SDK may write, move or unmap both at any time, so all of it is copied by hs_peek, and a copy counts only if the time
 * of publication before and after it is the same. A search reads all of /proc/self/maps, so it is repeated no sooner than
 * after HS_OTEL_SEARCH_US. Layout and protocol: doc/otel-context.md.
 *
 * Thread: any but Callback, one at a time for each. */
#ifndef HS_OTEL_PROCESS_H
#define HS_OTEL_PROCESS_H

#include "hs_otel_keys.h"

enum { HS_OTEL_PAYLOAD_MAX = 65536 };

#define HS_OTEL_SEARCH_US INT64_C(10000000)

/* What the last look has found. */
enum hs_otel_process_state {
    HS_OTEL_NOT_FOUND, /* no header that is valid */
    HS_OTEL_FOUND,
    HS_OTEL_REFUSED, /* a payload of more than HS_OTEL_PAYLOAD_MAX bytes, or one that is no message */
    HS_OTEL_FORBIDDEN /* the system does not allow hs_peek */
};

/* All zero: nothing was looked for. */
struct hs_otel_process {
    enum hs_otel_process_state state;
    uint64_t header;    /* its address; 0: unknown */
    uint64_t published; /* of the payload that was read last; 0: none was */
    int64_t next_us;    /* no search before this monotonic time */
};

/* Looks whether there is a payload that was not read yet. Returns the keys of that, a new block: of no keys where the
 * payload is refused. NULL: nothing has changed, the SDK is just writing, or there is no memory; the next look tries again.
 * `root` is that of hs_proc: "" but in tests. Owns: the caller gives the keys back with hs_otel_keys_free. */
struct hs_otel_keys *hs_otel_process_look(struct hs_otel_process *process, const char *root,
                                          int64_t now_us);

/* Harmless for NULL. */
void hs_otel_keys_free(struct hs_otel_keys *keys);

/* Copies the payload that is published now, read before or not: `*bytes` bytes in a new block, 0 where the payload is refused.
 * NULL: there is none, the SDK is just writing, or there is no memory; `header` tells the first case from the others.
 * Thread: any, one at a time for each `process`. Owns: the caller gives the block back with hs_otel_payload_free. */
unsigned char *hs_otel_process_copy(struct hs_otel_process *process, const char *root,
                                    int64_t now_us, uint32_t *bytes);

/* Harmless for NULL. */
void hs_otel_payload_free(unsigned char *payload, uint32_t bytes);

#endif
