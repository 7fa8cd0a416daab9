/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_oom_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Below the size that a pipe takes at once or not at all (PIPE_BUF), so poll(2) shows whether a write
 * would wait. Five pieces of text, each up to MOST_SHOWN. */
enum { COMPLAINT_BYTES = 4096, MOST_SHOWN = 800 };

static const char NOT_REGULAR[] = "it is no regular file";
static const char A_LINK[] = "it is a symbolic link";

/* Nor is a reader waited for, where it is a pipe. */
static int open_with(const char *path, int flags) {
    int file;
    do {
        file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0600);
    } while (file < 0 && errno == EINTR);
    return file;
}

static const char *meaning_of(int error) {
    switch (error) {
    case ELOOP: return A_LINK;
    case EISDIR:
    case ENXIO: return NOT_REGULAR;
    case ENOENT:
    case ENOTDIR: return "its folder is not there";
    case EACCES:
    case EPERM:
    case EROFS: return "this process may not write it";
    case ENOSPC:
    case EDQUOT: return "the disk is full";
    default: return "the system refuses to open it";
    }
}

/* NULL where it is. */
static const char *why_not_ours(const struct stat *status) {
    if (!S_ISREG(status->st_mode)) {
        return NOT_REGULAR;
    }
    if (status->st_nlink != 1) {
        return "it has another name, too (a hard link)";
    }
    bool is_ours = status->st_uid == geteuid() || status->st_uid == 0;
    return is_ours ? NULL : "it belongs to another user";
}

/* Some containers answer EPERM to the new system call that libc asks first, whatever the file. */
static const char *why_not_written(const char *path) {
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0) {
        return NULL;
    }
    int error = errno;
    return error == EPERM && access(path, W_OK) == 0 ? NULL : meaning_of(error);
}

/* `path` is absolute, and not too long: the system has looked for it. Its folder keeps the slash, which is all
 * of the root. */
static const char *why_not_made(const char *path) {
    char folder[PATH_MAX];
    size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return why_not_written(folder);
}

/* The old fstat of glibc is no function, and the new one is too new (README.md, Linking); the kernel's struct
 * is that of libc on our processors. So it is with lstat. */
static bool look_at(int file, struct stat *status) {
    return syscall(SYS_fstat, file, status) == 0;
}

static bool look_at_name(const char *path, struct stat *status) {
    return syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *hs_oom_file_why_not(const char *path) {
    struct stat status;
    if (!look_at_name(path, &status)) {
        return errno == ENOENT ? why_not_made(path) : meaning_of(errno);
    }
    if (S_ISLNK(status.st_mode)) {
        return A_LINK;
    }
    const char *why = why_not_ours(&status);
    return why == NULL ? why_not_written(path) : why;
}

static int open_existing(const char *path, const char **why) {
    int file = open_with(path, 0);
    if (file < 0) {
        *why = meaning_of(errno);
        return -1;
    }
    struct stat status;
    *why = look_at(file, &status) ? why_not_ours(&status) : meaning_of(errno);
    if (*why == NULL && ftruncate(file, 0) != 0) {
        *why = meaning_of(errno);
    }
    if (*why != NULL) {
        (void)close(file);
        return -1;
    }
    return file;
}

int hs_oom_file_open(const char *path, const char **why) {
    *why = NULL;
    int file = open_with(path, O_CREAT | O_EXCL);
    if (file < 0 && errno == EEXIST) {
        file = open_existing(path, why);
    } else if (file < 0) {
        *why = meaning_of(errno);
    }
    return file;
}

struct line {
    char bytes[COMPLAINT_BYTES];
    size_t length;
};

/* Control characters have no place in a line. */
static void put(struct line *line, const char *text) {
    size_t bytes = strnlen(text, MOST_SHOWN);
    for (size_t i = 0; i < bytes; i++) {
        line->bytes[line->length++] = (unsigned char)text[i] < ' ' ? '?' : text[i];
    }
}

void hs_oom_file_complain(const char *path, const char *why) {
    struct line line = {.length = 0};
    struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
    put(&line, "HeapSampler: no report on out-of-memory in ");
    put(&line, path);
    put(&line, ": ");
    put(&line, why);
    put(&line, ". Name a file of this user's own, in a folder that others cannot write to.");
    line.bytes[line.length++] = '\n';
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0) {
        ssize_t written = write(STDERR_FILENO, line.bytes, line.length);
        (void)written; /* there is no other way to report it */
    }
}
