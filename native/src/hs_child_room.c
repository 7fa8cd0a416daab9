/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_child_room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hs_cgroup.h"
#include "hs_proc.h"

/* --- How much memory ------------------------------------------------------------------------------ */

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t minus(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

/* What a file has after this key; UINT64_MAX where it has none. */
static uint64_t value_in(const char *root, const char *path, const char *key) {
    struct hs_proc proc;
    uint64_t value = UINT64_MAX;
    if (hs_proc_open(&proc, root, path)) {
        const char *line;
        while ((line = hs_proc_next(&proc)) != NULL && !hs_proc_value(line, key, &value)) {
        }
        hs_proc_close(&proc);
    }
    return value;
}

/* The same of a file that counts in KiB. */
static uint64_t bytes_in(const char *root, const char *path, const char *key) {
    uint64_t value = value_in(root, path, key);
    return value > UINT64_MAX / 1024 ? UINT64_MAX : value * 1024;
}

static uint64_t bytes_or_0(const char *root, const char *path, const char *key) {
    uint64_t bytes = bytes_in(root, path, key);
    return bytes == UINT64_MAX ? 0 : bytes;
}

static uint64_t room_of_commit(const char *root) {
    uint64_t mode = 0;
    if (!hs_proc_number(root, "/proc/sys/vm/overcommit_memory", &mode) || mode != 2) {
        return UINT64_MAX;
    }
    uint64_t limit = bytes_in(root, "/proc/meminfo", "CommitLimit");
    uint64_t committed = bytes_or_0(root, "/proc/meminfo", "Committed_AS");
    uint64_t again = bytes_or_0(root, "/proc/self/status", "VmData") +
                     bytes_or_0(root, "/proc/self/status", "VmStk");
    return limit == UINT64_MAX ? limit : minus(minus(limit, committed), again);
}

static uint64_t room_of_limit(const char *root, const char *limit, const char *used) {
    uint64_t most = value_in(root, "/proc/self/limits", limit);
    return most == UINT64_MAX ? most : minus(most, bytes_or_0(root, "/proc/self/status", used));
}

/* --- What groups leave ---------------------------------------------------------------------------- */

static void leave_room(const struct hs_cgroup *group, void *context) {
    uint64_t *room = context;
    uint64_t limit = least(group->max, group->high);
    uint64_t left = limit == UINT64_MAX ? limit : minus(limit, group->used);
    *room = least(*room, group->ends_all && left != UINT64_MAX ? left / 2 : left);
}

static uint64_t room_of_cgroups(const char *root) {
    uint64_t room = UINT64_MAX;
    hs_cgroup_each(root, leave_room, &room);
    return room;
}

uint64_t hs_child_room(const char *root) {
    uint64_t room = bytes_in(root, "/proc/meminfo", "MemAvailable");
    room = least(room, room_of_cgroups(root));
    room = least(room, room_of_limit(root, "Max address space", "VmSize"));
    room = least(room, room_of_limit(root, "Max data size", "VmData"));
    return least(room, room_of_commit(root));
}

/* --- What is private ------------------------------------------------------------------------------ */

struct mapping {
    uintptr_t begin;
    uintptr_t end;
    bool can_write;
    bool is_shared;
};

/* "begin-end rwxp offset device inode path" */
static bool read_mapping(const char *line, struct mapping *mapping) {
    char *next;
    mapping->begin = (uintptr_t)strtoull(line, &next, 16);
    if (next == line || *next != '-') {
        return false;
    }
    mapping->end = (uintptr_t)strtoull(next + 1, &next, 16);
    if (strnlen(next, 5) < 5 || mapping->end <= mapping->begin) {
        return false;
    }
    mapping->can_write = next[2] == 'w';
    mapping->is_shared = next[4] != 'p';
    return true;
}

/* How many of the addresses lie in this mapping. */
static uint32_t count_in(const struct mapping *mapping, const uintptr_t *addresses,
                         uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found += addresses[i] >= mapping->begin && addresses[i] < mapping->end;
    }
    return found;
}

bool hs_child_has_copy(const char *root, const uintptr_t *addresses, uint32_t count) {
    struct hs_proc proc;
    uint32_t found = 0;
    if (!hs_proc_open(&proc, root, "/proc/self/maps")) {
        return false;
    }
    for (const char *line; found < count && (line = hs_proc_next(&proc)) != NULL;) {
        struct mapping mapping;
        uint32_t here = read_mapping(line, &mapping) ? count_in(&mapping, addresses, count) : 0;
        if (here > 0 && mapping.is_shared) {
            break;
        }
        found += here;
    }
    hs_proc_close(&proc);
    return found == count;
}

enum { MOST_UNSHARED = 1 << 20 };

/* A copy takes its place at once. */
static void unshare_one(const struct mapping *mapping) {
    size_t bytes = mapping->end - mapping->begin;
    void *place = (void *)mapping->begin;
    void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) {
        memcpy(copy, place, bytes);
        if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED) {
            return;
        }
    }
    (void)mprotect(place, bytes, PROT_READ);
}

uint32_t hs_child_unshare(const char *part) {
    struct hs_proc proc;
    uint32_t count = 0;
    if (!hs_proc_open(&proc, "", "/proc/self/maps")) {
        return 0;
    }
    for (const char *line; (line = hs_proc_next(&proc)) != NULL;) {
        struct mapping mapping;
        const char *path = strchr(line, '/');
        if (path != NULL && strstr(path, part) != NULL && read_mapping(line, &mapping) &&
            mapping.can_write && mapping.is_shared &&
            mapping.end - mapping.begin <= MOST_UNSHARED) {
            unshare_one(&mapping);
            count++;
        }
    }
    hs_proc_close(&proc);
    return count;
}
