/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_ids.h"

#include "hs_hash.h"
#include "hs_vm_methods.h"

/* No process has anything below. */
enum { LOWEST_ADDRESS = 64 * 1024 };

/* JDK-8313332: the VM enlarges the table of ids while all threads stand still. */
enum { FIRST_JDK_WITH_SAFE_IDS = 23 };

/* Frames that are requested at a time: the callback may be near the end of its stack. */
enum { PART = 32 };

enum { SET_BITS = 12, WAYS = 4 };

/* Ids that two answers had, 128 KiB for the process. Another one of the same set displaces one of them, which
 * is requested again. Relaxed: a word says nothing of any other. */
static _Atomic uintptr_t known[1 << SET_BITS][WAYS];

static uint64_t hash_of(jmethodID method) {
    return hs_hash_word(HS_HASH_BEGIN, (uintptr_t)method);
}

static bool is_known(jmethodID method) {
    _Atomic uintptr_t *set = known[hash_of(method) >> (64 - SET_BITS)];
    bool is = false;
    for (uint32_t i = 0; i < WAYS; i++) {
        is = is || atomic_load_explicit(&set[i], memory_order_relaxed) == (uintptr_t)method;
    }
    return is && method != NULL; /* an empty place is none */
}

static void remember(jmethodID method) {
    uint64_t hash = hash_of(method);
    _Atomic uintptr_t *set = known[hash >> (64 - SET_BITS)];
    uint32_t way = 0;
    while (way < WAYS && atomic_load_explicit(&set[way], memory_order_relaxed) != 0) {
        way++;
    }
    way = way < WAYS ? way : (hash >> SET_BITS) % WAYS;
    atomic_store_explicit(&set[way], (uintptr_t)method, memory_order_relaxed);
}

static bool could_be_cell(jmethodID method) {
    uintptr_t id = (uintptr_t)method;
    return id >= LOWEST_ADDRESS && id % sizeof(uintptr_t) == 0;
}

static bool are_known(const jvmtiFrameInfo *infos, uint32_t count) {
    bool are = true;
    for (uint32_t i = 0; are && i < count; i++) {
        are = is_known(infos[i].method);
    }
    return are;
}

/* Has another answer the same ids from frame `begin` on, at most PART of them? */
static bool are_answered_again(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                               uint32_t begin, uint32_t count) {
    jvmtiFrameInfo again[PART];
    jint given = 0;
    if ((*vm->jvmti)->GetStackTrace(vm->jvmti, NULL, (jint)begin, (jint)count, again, &given) !=
            JVMTI_ERROR_NONE ||
        given != (jint)count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (again[i].method != infos[begin + i].method || !could_be_cell(again[i].method)) {
            return false;
        }
    }
    return true;
}

static bool could_be_cells(const jvmtiFrameInfo *infos, uint32_t count) {
    bool could = true;
    for (uint32_t i = 0; could && i < count; i++) {
        could = could_be_cell(infos[i].method);
    }
    return could;
}

bool hs_vm_are_method_ids(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                          uint32_t count) {
    if (vm->feature >= FIRST_JDK_WITH_SAFE_IDS) {
        return vm->feature > HS_LAST_JDK_WITH_METHOD_CELLS || could_be_cells(infos, count);
    }
    for (uint32_t begin = 0; begin < count; begin += PART) {
        uint32_t part = count - begin < PART ? count - begin : PART;
        if (are_known(infos + begin, part)) {
            continue;
        }
        if (!are_answered_again(vm, infos, begin, part)) {
            return false;
        }
        for (uint32_t i = begin; i < begin + part; i++) {
            if (!is_known(infos[i].method)) {
                remember(infos[i].method);
            }
        }
    }
    return true;
}
