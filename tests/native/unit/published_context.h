/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A process context, published as OTEP 4719 wants it: the mapping of a memfd by the name OTEL_CTX, which is named once more
 * where the kernel can do that. */
#ifndef TEST_PUBLISHED_CONTEXT_H
#define TEST_PUBLISHED_CONTEXT_H

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "otel_payload.h"

enum { CONTEXT_BYTES = 4096 };

struct published {
    char signature[8];
    uint32_t version;
    uint32_t payload_bytes;
    _Atomic uint64_t published;
    uint64_t payload;
};

static inline struct published *context_map(void) {
    int file = (int)syscall(SYS_memfd_create, "OTEL_CTX", 3U); /* close on exec, may be sealed */
    cr_assert_geq(file, 0);
    cr_assert_eq(ftruncate(file, CONTEXT_BYTES), 0);
    struct published *context =
        mmap(NULL, CONTEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    cr_assert_neq((void *)context, MAP_FAILED);
    cr_assert_eq(close(file), 0);
    cr_assert_eq(madvise(context, CONTEXT_BYTES, MADV_DONTFORK), 0);
    return context;
}

static inline void context_write(struct published *context, const struct payload *payload,
                                 uint64_t published) {
    memcpy(context->signature, "OTEL_CTX", 8);
    context->version = 2;
    context->payload_bytes = (uint32_t)payload->length;
    context->payload = (uintptr_t)payload->bytes;
    __sync_synchronize();
    context->published = published;
    /* PR_SET_VMA, PR_SET_VMA_ANON_NAME. Many kernels refuse; the name of the file remains. */
    (void)prctl(0x53564d61, 0UL, context, (unsigned long)CONTEXT_BYTES, "OTEL_CTX");
}

#endif
