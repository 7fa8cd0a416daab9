/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_threads.h"

#include <stdatomic.h>

#include "hs_mem.h"

static _Atomic uint64_t last_serial; /* relaxed: each addition gives another number */

struct hs_threads {
    uint64_t serial;
    hs_intern *table; /* notes are names */
    struct hs_names names;
};

enum hs_status hs_threads_new(uint32_t max_threads, hs_threads **result) {
    *result = NULL;
    hs_threads *threads = hs_mem_new(sizeof *threads);
    if (threads == NULL) {
        return HS_NO_MEMORY;
    }
    threads->serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
    enum hs_status status = hs_intern_new(max_threads, &threads->table);
    if (status == HS_OK) {
        status = hs_names_new(max_threads, &threads->names);
    }
    if (status != HS_OK) {
        hs_threads_free(threads);
        return status;
    }
    *result = threads;
    return HS_OK;
}

void hs_threads_free(hs_threads *threads) {
    if (threads == NULL) {
        return;
    }
    hs_intern_free(threads->names.table);
    hs_intern_free(threads->table);
    hs_mem_free(threads, sizeof *threads);
}

uint64_t hs_threads_serial(const hs_threads *threads) {
    return threads->serial;
}

struct hs_thread_id hs_threads_find(const hs_threads *threads, int64_t java_id) {
    return (struct hs_thread_id){hs_intern_find(threads->table, &java_id, sizeof java_id)};
}

bool hs_threads_is_full(const hs_threads *threads) {
    return hs_intern_end(threads->table) > hs_intern_capacity(threads->table);
}

bool hs_threads_is_half_full(const hs_threads *threads) {
    return hs_intern_end(threads->table) > hs_intern_capacity(threads->table) / 2;
}

enum hs_status hs_threads_put_within(hs_threads *threads, uint32_t limit, int64_t java_id,
                                     struct hs_thread_id *id) {
    return hs_intern_put_within(threads->table, limit, &java_id, sizeof java_id, &id->number);
}

enum hs_status hs_threads_put(hs_threads *threads, int64_t java_id, struct hs_thread_id *id) {
    return hs_threads_put_within(threads, hs_intern_capacity(threads->table), java_id, id);
}

void hs_threads_set_name(hs_threads *threads, struct hs_thread_id id, const char *text,
                         size_t bytes) {
    struct hs_name_id name;
    HS_DCHECK(id.number != HS_THREAD_OTHER && id.number <= hs_intern_capacity(threads->table));
    if (hs_names_put(threads->names, text, bytes, &name) == HS_OK) {
        hs_intern_note(threads->table, id.number, name.number);
    }
}

int64_t hs_threads_java_id(const hs_threads *threads, struct hs_thread_id id) {
    uint32_t bytes;
    const int64_t *key = hs_intern_key(threads->table, id.number, &bytes);
    return key == NULL ? -1 : *key;
}

struct hs_thread_name_id hs_threads_name(const hs_threads *threads, struct hs_thread_id id) {
    return (struct hs_thread_name_id){hs_intern_noted(threads->table, id.number)};
}

const char *hs_threads_name_text(const hs_threads *threads, struct hs_thread_name_id name,
                                 uint32_t *bytes) {
    return hs_names_text(threads->names, (struct hs_name_id){name.number}, bytes);
}

uint32_t hs_threads_end(const hs_threads *threads) {
    return hs_intern_end(threads->table);
}

#ifdef HS_CHECKS
bool hs_threads_is_valid(const hs_threads *threads) {
    for (uint32_t id = 1; id <= hs_intern_capacity(threads->table); id++) {
        uint32_t bytes;
        uint32_t name = hs_threads_name(threads, (struct hs_thread_id){id}).number;
        const void *java_id = hs_intern_key(threads->table, id, &bytes);
        if ((java_id != NULL && bytes != sizeof(int64_t)) || (java_id == NULL && name != 0) ||
            name >= hs_intern_end(threads->names.table)) {
            return false;
        }
    }
    return hs_intern_is_valid(threads->table) && hs_names_is_valid(threads->names);
}
#endif
