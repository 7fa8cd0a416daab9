/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The class loaders of the fake VM, and their classes: all of them, or none and the reason. */
#include "fake_life.h"
#include "hs_vm.h"

typedef jobjectArray loaders_native(JNIEnv *, jclass, jlongArray);
typedef jobjectArray classes_native(JNIEnv *, jclass, jobject, jlongArray);

static jlong failure;
static struct fake_object result_object = {.room = &failure, .length = 1, .is_kept = true};

static void check(const char *function, jobjectArray array, jsize expected) {
    jlong status = -failure;
    cr_assert_not(fake_has_heap_env());
    cr_assert(array != NULL || !life.is_whole, "%s", function);
    cr_assert(array == NULL || fake_env->is_pending || failure == 0, "%s", function);
    cr_assert(array != NULL || fake_env->is_pending || (status > HS_OK && status < HS_STATUS_COUNT),
              "%s: %ld", function, (long)failure);
    cr_assert(array == NULL || fake_object_of(array)->length == expected, "%s", function);
}

static void check_loaders(jobjectArray array) {
    struct fake_object *const *loaders = array == NULL ? NULL : fake_object_of(array)->data;
    for (int i = 0; loaders != NULL && i < FAKE_LOADER_COUNT; i++) {
        uint32_t found = 0;
        for (int j = 0; j < FAKE_LOADER_COUNT; j++) {
            found += loaders[j] == &FAKE_LOADERS[i];
        }
        cr_assert_eq(found, 1, "loader %d", i);
    }
}

static void find_loaders(jobject result) {
    failure = 1;
    life_before();
    jobjectArray array =
        ((loaders_native *)fake_native("classLoaders"))(fake_main_env(), NULL, result);
    check("classLoaders", array, FAKE_LOADER_COUNT);
    check_loaders(array);
    life_after("classLoaders", array);
}

static void find_classes(jobject result, int number, jsize expected) {
    jobject loader = fake_new_ref(FAKE_LOCAL, &FAKE_LOADERS[number]);
    failure = 1;
    life_before();
    jobjectArray array =
        ((classes_native *)fake_native("classesOf"))(fake_main_env(), NULL, loader, result);
    check("classesOf", array, expected);
    if (array != NULL && expected > 0) {
        cr_assert_eq(((struct fake_object *const *)fake_object_of(array)->data)[0],
                     fake_class("shop/Plugin"));
    }
    life_after("classesOf", array);
    fake_delete_ref(loader, FAKE_LOCAL);
}

void life_class_loaders(void) {
    jobject result = fake_new_ref(FAKE_LOCAL, &result_object);
    find_loaders(result);
    find_classes(result, 0, 0);
    find_classes(result, FAKE_LOADER_COUNT - 1, FAKE_LOADED_COUNT);
    fake_delete_ref(result, FAKE_LOCAL);
}
