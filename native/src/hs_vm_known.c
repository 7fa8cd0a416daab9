/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_known.h"

#include <stdlib.h>
#include <string.h>

#include "hs_mem.h"

enum { MOST_FRAMES = 256, FIRST_ROOM = 1024 };

static void add(struct hs_vm_known *known, jmethodID method) {
    if (known->count == known->room) {
        size_t room = known->room == 0 ? FIRST_ROOM : 2 * known->room;
        uintptr_t *methods = hs_mem_new_array(room, sizeof *methods);
        if (methods == NULL) {
            return;
        }
        if (known->count > 0) {
            memcpy(methods, known->methods, known->count * sizeof *methods);
        }
        hs_mem_free(known->methods, known->room * sizeof *methods);
        known->methods = methods;
        known->room = room;
    }
    known->methods[known->count++] = (uintptr_t)method;
}

static int compare(const void *a, const void *b) {
    uintptr_t left = *(const uintptr_t *)a;
    uintptr_t right = *(const uintptr_t *)b;
    return left < right ? -1 : left > right;
}

void hs_vm_known_find(jvmtiEnv *jvmti, const jthread *threads, jint thread_count,
                      struct hs_vm_known *known) {
    jvmtiFrameInfo frames[MOST_FRAMES];
    jint count;
    for (jint i = 0; i < thread_count; i++) {
        jvmtiError error =
            (*jvmti)->GetStackTrace(jvmti, threads[i], 0, MOST_FRAMES, frames, &count);
        for (jint j = 0; error == JVMTI_ERROR_NONE && j < count; j++) {
            add(known, frames[j].method);
        }
    }
    if (known->count > 0) {
        qsort(known->methods, known->count, sizeof *known->methods, compare);
    }
}

bool hs_vm_known_has(const struct hs_vm_known *known, jmethodID method) {
    uintptr_t id = (uintptr_t)method;
    return known->count > 0 &&
           bsearch(&id, known->methods, known->count, sizeof id, compare) != NULL;
}

void hs_vm_known_free(struct hs_vm_known *known) {
    hs_mem_free(known->methods, known->room * sizeof *known->methods);
    *known = (struct hs_vm_known){0};
}
