/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* An SDK of OpenTelemetry in miniature: publishes a process context, as OTEP 4719 wants it, when it is loaded. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };

/* service.name=sdk-shop, service.instance.id=627cc493, shop.canary=true */
static const char PAYLOAD[] = "\n\122"
                              "\n\032\n\014service.name\022\012\n\010sdk-shop"
                              "\n\041\n\023service.instance.id\022\012\n\010627cc493"
                              "\n\021\n\013shop.canary\022\002\020\001";

struct context {
    char signature[8];
    uint32_t version;
    uint32_t payload_bytes;
    uint64_t published;
    const char *payload;
};

__attribute__((constructor)) static void publish(void) {
    int file = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, BYTES) != 0) {
        abort();
    }
    struct context *context = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (context == MAP_FAILED || madvise(context, BYTES, MADV_DONTFORK) != 0) {
        abort();
    }
    (void)close(file);
    memcpy(context->signature, "OTEL_CTX", sizeof context->signature);
    context->version = 2;
    context->payload_bytes = sizeof PAYLOAD - 1;
    context->payload = PAYLOAD;
    __atomic_store_n(&context->published, 1, __ATOMIC_SEQ_CST);
}
