/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_thread.h"

#include "hs_mem.h"
#include "hs_thread_state.h"

/* A quarter of a megabyte in all, for the moment, in pieces of 128 bytes and more. None is large (HS_MEM_LARGE): they
 * must come from where the VM takes its memory. */
enum { SPACES = 256, SPACE_MIN = 128, SPACE_SPAN = 496, SPACE_KINDS = 4 };

_Static_assert(SPACE_MIN + (SPACE_SPAN << (SPACE_KINDS - 1)) <= HS_MEM_LARGE, "malloc's");

struct space {
    void *memory;
    size_t bytes;
};

static void take_spaces(struct space *spaces) {
    struct hs_thread_state *self = hs_thread_state_current();
    for (int i = 0; i < SPACES; i++) {
        uint32_t span = (uint32_t)SPACE_SPAN << i % SPACE_KINDS;
        spaces[i].bytes = self == NULL ? 0 : SPACE_MIN + hs_thread_state_random(self) % span;
        spaces[i].memory = hs_mem_new(spaces[i].bytes);
    }
}

static void free_spaces(struct space *spaces) {
    for (int i = 0; i < SPACES; i++) {
        hs_mem_free(spaces[i].memory, spaces[i].bytes);
    }
}

/* The VM seeds its one generator of sample points anew with the address of each new thread's data.
 * For a thread that comes and goes, as ours does, that is mostly the same, and recordings that follow
 * each other would draw the same numbers. So free space that would be used again is taken up, and the
 * new thread comes to lie somewhere else each time. */
void *hs_vm_attach(JavaVM *vm) {
    JNIEnv *jni;
    char name[] = "HeapSampler";
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = name, .group = NULL};
    struct space spaces[SPACES];
    take_spaces(spaces);
    jint result = (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&jni, &arguments);
    free_spaces(spaces);
    return result == JNI_OK ? jni : NULL;
}
