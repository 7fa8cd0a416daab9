/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Proc: reads files of /proc and /sys line by line, in a buffer of the caller's. It allocates nothing and keeps no
 * state, so it also works in a child that was forked from a process with many threads.
 *
 * `root` is put in front of each path: "" but in tests. Thread: any, one at a time for each reader. */
#ifndef HS_PROC_H
#define HS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HS_PROC_BLOCK = 4096 };

struct hs_proc {
    int file; /* -1: closed */
    size_t begin;
    size_t end;
    bool is_inside; /* the rest of a long line comes next */
    char bytes[HS_PROC_BLOCK];
};

/* Opens a file. Fails: false, with errno; then there is nothing to close. */
bool hs_proc_open(struct hs_proc *proc, const char *root, const char *path);

/* The next line, without its end; NULL after the last one. A line of more than a block is cut. The text is valid until
 * the next call. */
char *hs_proc_next(struct hs_proc *proc);

void hs_proc_close(struct hs_proc *proc);

/* The number that a file begins with; "max" is UINT64_MAX. Fails: false; `*value` stays. */
bool hs_proc_number(const char *root, const char *path, uint64_t *value);

/* The number after `key` and blanks or a colon, where `line` begins with that. Fails: false; `*value` stays. */
bool hs_proc_value(const char *line, const char *key, uint64_t *value);

#endif
