/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Libraries that export the thread-local variable (tests/native/otel), opened as a JVM opens them. */
#ifndef TEST_OTEL_SDK_H
#define TEST_OTEL_SDK_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct sdk {
    void *handle;
    void (*attach)(void *record);
    void **(*slot)(void);
};

/* HS_OTEL_FOLDER, which the build sets, is where the libraries are. */

/* musl never unloads, and opens no library late whose variables are at fixed places. */
static inline bool sdk_unloads(void) {
    return dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
}

static inline void sdk_path(char path[512], const char *name) {
    (void)snprintf(path, 512, "%s/libotelctx_%s.so", HS_OTEL_FOLDER, name);
}

static inline struct sdk sdk_open(const char *name) {
    char path[512];
    struct sdk sdk;
    sdk_path(path, name);
    sdk.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(sdk.handle, "%s", dlerror());
    void *attach = dlsym(sdk.handle, "otelctx_attach");
    void *slot = dlsym(sdk.handle, "otelctx_slot");
    memcpy(&sdk.attach, &attach, sizeof attach);
    memcpy(&sdk.slot, &slot, sizeof slot);
    return sdk;
}

static inline bool sdk_is_loaded(const char *name) {
    char path[512];
    sdk_path(path, name);
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL) {
        (void)dlclose(handle);
    }
    return handle != NULL;
}

#endif
