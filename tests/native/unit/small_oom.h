/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A report over a small store, and the file that it goes to, in a folder of its own. */
#ifndef SMALL_OOM_H
#define SMALL_OOM_H

#include <stdlib.h>
#include <unistd.h>

#include "hs_mem.h"
#include "hs_oom.h"
#include "small_store.h"

/* More sites than are written. */
static const struct hs_limits LIMITS = {
    .depth = 16, .tracked = 64, .stacks = 64, .names = 64, .sites = 32, .threads = 4, .dead = 4};

static struct hs_oom oom;
static struct hs_store *store;
static struct hs_session session;
static size_t used_before;
static char folder[64];
static char path[256];

static inline void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    memset(&oom, 0, sizeof oom);
    cr_assert_eq(hs_store_new(&LIMITS, &store), HS_OK);
    session = (struct hs_session){.store = store, .count = 1};
    session.recordings[0] = small_recording(store, 0, NULL);
    strcpy(folder, "/tmp/hs-oom-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/report.txt", folder);
}

static inline void tear_down(void) {
    (void)unlink(path);
    (void)rmdir(folder);
    hs_oom_free(&oom);
    hs_recording_free(session.recordings[0]);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

static inline const char *read_text(const char *from) {
    static char text[1 << 16];
    FILE *file = fopen(from, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static inline const char *report(void) {
    return read_text(path);
}

static inline void arm(void) {
    cr_assert_eq(hs_oom_reserve(&oom, LIMITS.sites + 1), HS_OK);
    cr_assert_eq(hs_oom_arm(&oom, path), HS_OK);
}

static inline bool write_it(void) {
    return hs_oom_write(&oom, store, &FAKE_OPS, FAKE_ENV);
}

#endif
