/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hs_proc_open(struct hs_proc *proc, const char *root, const char *path) {
    char whole[PATH_MAX];
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    proc->file = -1;
    proc->begin = 0;
    proc->end = 0;
    proc->is_inside = false;
    if (length < 0 || (size_t)length >= sizeof whole) {
        errno = ENAMETOOLONG;
        return false;
    }
    do {
        proc->file = open(whole, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (proc->file < 0 && errno == EINTR);
    return proc->file >= 0;
}

/* Reads behind what there is. Returns false at the end of the file, and where it cannot be read. */
static bool read_more(struct hs_proc *proc) {
    memmove(proc->bytes, proc->bytes + proc->begin, proc->end - proc->begin);
    proc->end -= proc->begin;
    proc->begin = 0;
    ssize_t count;
    do {
        count = read(proc->file, proc->bytes + proc->end, sizeof proc->bytes - 1 - proc->end);
    } while (count < 0 && errno == EINTR);
    proc->end += count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* Takes the next line, or as much of it as a block has. */
static char *next_part(struct hs_proc *proc, bool *is_whole) {
    for (;;) {
        char *text = proc->bytes + proc->begin;
        size_t count = proc->end - proc->begin;
        char *newline = count == 0 ? NULL : memchr(text, '\n', count);
        *is_whole = newline != NULL;
        if (*is_whole) {
            *newline = '\0';
            proc->begin += (size_t)(newline - text) + 1;
            return text;
        }
        if (count == sizeof proc->bytes - 1 || !read_more(proc)) {
            *is_whole = count < sizeof proc->bytes - 1; /* the file ends without a newline */
            text = proc->bytes + proc->begin;
            text[count] = '\0';
            proc->begin = proc->end;
            return count == 0 ? NULL : text;
        }
    }
}

char *hs_proc_next(struct hs_proc *proc) {
    bool is_rest;
    char *text;
    do {
        bool is_whole;
        is_rest = proc->is_inside;
        text = next_part(proc, &is_whole);
        proc->is_inside = !is_whole;
    } while (text != NULL && is_rest);
    return text;
}

void hs_proc_close(struct hs_proc *proc) {
    if (proc->file >= 0) {
        (void)close(proc->file);
        proc->file = -1;
    }
}

static bool number_at(const char *text, uint64_t *value) {
    if (strncmp(text, "max", 3) == 0) {
        *value = UINT64_MAX;
        return true;
    }
    if (*text < '0' || *text > '9') {
        return false;
    }
    *value = strtoull(text, NULL, 10);
    return true;
}

bool hs_proc_number(const char *root, const char *path, uint64_t *value) {
    struct hs_proc proc;
    if (!hs_proc_open(&proc, root, path)) {
        return false;
    }
    const char *line = hs_proc_next(&proc);
    bool is_there = line != NULL && number_at(line, value);
    hs_proc_close(&proc);
    return is_there;
}

bool hs_proc_value(const char *line, const char *key, uint64_t *value) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) {
        return false;
    }
    size_t blanks = strspn(line + length, ": \t");
    return blanks > 0 && number_at(line + length + blanks, value);
}
