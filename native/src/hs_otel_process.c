/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_otel_process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hs_mem.h"
#include "hs_peek.h"
#include "hs_proc.h"

enum { VERSION = 2, TRIES = 3 };

/* As the SDK has it, without padding. */
struct header {
    char signature[8];
    uint32_t version;
    uint32_t payload_bytes;
    uint64_t published; /* 0: it is being written */
    uint64_t payload;
};

_Static_assert(sizeof(struct header) == 32, "the layout is fixed");

static bool copy_header(uint64_t address, struct header *header) {
    return hs_peek((int)getpid(), header, address, sizeof *header) &&
           memcmp(header->signature, "OTEL_CTX", sizeof header->signature) == 0 &&
           header->version == VERSION;
}

/* What a line has behind its first `count` fields, which blanks divide. */
static const char *behind_fields(const char *line, int count) {
    for (; count > 0; count--) {
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    return line;
}

/* Where a mapping of one of these names begins; 0: the line shows another one, or one that cannot be read. A line has the
 * addresses, the access, the offset, the device, the number of the file, and then the name. */
static uint64_t mapping_in(const char *line) {
    static const char *const NAMES[] = {"/memfd:OTEL_CTX", "[anon_shmem:OTEL_CTX]",
                                        "[anon:OTEL_CTX]"};
    const char *name = behind_fields(line, 5);
    bool is_readable = behind_fields(line, 1)[0] == 'r';
    for (size_t i = 0; is_readable && i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0) {
            return strtoull(line, NULL, 16);
        }
    }
    return 0;
}

/* The address of a valid header; 0: there is none. Only where there is a mapping of such a name, it is tried out whether
 * the system allows hs_peek, which may take a fork. */
static uint64_t search(struct hs_otel_process *process, const char *root) {
    struct hs_proc maps;
    struct header header;
    uint64_t found = 0;
    if (!hs_proc_open(&maps, root, "/proc/self/maps")) {
        return 0;
    }
    for (char *line; found == 0 && (line = hs_proc_next(&maps)) != NULL;) {
        uint64_t address = mapping_in(line);
        if (address != 0 && !hs_peek_is_allowed()) {
            process->state = HS_OTEL_FORBIDDEN;
            break;
        }
        found = address != 0 && copy_header(address, &header) ? address : 0;
    }
    hs_proc_close(&maps);
    return found;
}

/* Reads the payload of this header into new memory. NULL: without memory, or it has changed meanwhile. */
static unsigned char *copy_payload(uint64_t address, const struct header *header) {
    struct header after;
    unsigned char *payload = hs_mem_new(header->payload_bytes + 1U);
    if (payload == NULL) {
        return NULL;
    }
    bool is_whole = header->payload_bytes == 0 ||
                    hs_peek((int)getpid(), payload, header->payload, header->payload_bytes);
    /* The copies are system calls, in this order; the barrier is for processors that reorder them. Not a fence of C11: the
     * thread sanitizer knows none. */
    __sync_synchronize();
    if (!is_whole || !copy_header(address, &after) || after.published != header->published) {
        hs_otel_payload_free(payload, header->payload_bytes);
        return NULL;
    }
    return payload;
}

/* The keys of the payload; NULL: as copy_payload. */
static struct hs_otel_keys *read_keys(struct hs_otel_process *process,
                                      const struct header *header) {
    struct hs_otel_keys *keys = hs_mem_new(sizeof *keys);
    if (keys == NULL) {
        return NULL;
    }
    process->state = HS_OTEL_REFUSED;
    if (header->payload_bytes > HS_OTEL_PAYLOAD_MAX) {
        return keys;
    }
    unsigned char *payload = copy_payload(process->header, header);
    if (payload == NULL) {
        hs_otel_keys_free(keys);
        return NULL;
    }
    if (hs_otel_keys_read(keys, payload, header->payload_bytes)) {
        process->state = HS_OTEL_FOUND;
    }
    hs_otel_payload_free(payload, header->payload_bytes);
    return keys;
}

/* Finds the header, unless it is known and still there. Fails: false. */
static bool find(struct hs_otel_process *process, const char *root, int64_t now_us,
                 struct header *header) {
    if (process->header != 0 && copy_header(process->header, header)) {
        return true;
    }
    process->header = 0;
    process->published = 0;
    process->state = HS_OTEL_NOT_FOUND;
    if (now_us < process->next_us) {
        return false;
    }
    process->next_us = now_us + HS_OTEL_SEARCH_US;
    process->header = search(process, root);
    return process->header != 0 && copy_header(process->header, header);
}

struct hs_otel_keys *hs_otel_process_look(struct hs_otel_process *process, const char *root,
                                          int64_t now_us) {
    struct hs_otel_keys *keys = NULL;
    for (int i = 0; i < TRIES && keys == NULL; i++) {
        struct header header;
        if (!find(process, root, now_us, &header) || header.published == process->published) {
            return NULL;
        }
        /* 0: the SDK is writing. */
        keys = header.published == 0 ? NULL : read_keys(process, &header);
        if (keys != NULL) {
            process->published = header.published;
        }
    }
    return keys;
}

void hs_otel_keys_free(struct hs_otel_keys *keys) {
    hs_mem_free(keys, sizeof *keys);
}

unsigned char *hs_otel_process_copy(struct hs_otel_process *process, const char *root,
                                    int64_t now_us, uint32_t *bytes) {
    unsigned char *payload = NULL;
    for (int i = 0; i < TRIES && payload == NULL; i++) {
        struct header header;
        if (!find(process, root, now_us, &header)) {
            return NULL;
        }
        bool is_refused = header.payload_bytes > HS_OTEL_PAYLOAD_MAX;
        header.payload_bytes = is_refused ? 0 : header.payload_bytes;
        process->state = is_refused ? HS_OTEL_REFUSED : HS_OTEL_FOUND;
        *bytes = header.payload_bytes;
        /* 0: the SDK is writing. */
        payload = header.published == 0 ? NULL : copy_payload(process->header, &header);
    }
    return payload;
}

void hs_otel_payload_free(unsigned char *payload, uint32_t bytes) {
    hs_mem_free(payload, bytes + 1U);
}
