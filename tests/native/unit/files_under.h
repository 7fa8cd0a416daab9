/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A tree of made-up files, as of /proc and /sys. */
#ifndef TEST_FILES_UNDER_H
#define TEST_FILES_UNDER_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char files_root[64];

static inline void files_set_up(void) {
    (void)snprintf(files_root, sizeof files_root, "/tmp/hs-files-XXXXXX");
    cr_assert_not_null(mkdtemp(files_root));
}

static inline int files_remove(const char *path, const struct stat *status, int type,
                               struct FTW *where) {
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void files_tear_down(void) {
    cr_assert_eq(nftw(files_root, files_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Writes a file, with the folders above it. */
static inline void file_has(const char *path, const char *text) {
    char whole[4096];
    (void)snprintf(whole, sizeof whole, "%s%s", files_root, path);
    for (char *slash = whole + strlen(files_root) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert_not_null(file, "%s", whole);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

#endif
