/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_child_room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

/* The names of both versions. */
struct version {
    const char *limits[2];
    const char *used;
    const char *unused_file_pages; /* in memory.stat */
};
static const struct version V1 = {
    {"memory.limit_in_bytes", NULL}, "memory.usage_in_bytes", "total_inactive_file"};
static const struct version V2 = {{"memory.max", "memory.high"}, "memory.current", "inactive_file"};

static bool group_number(const char *root, const char *folder, const char *name, uint64_t *value) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && hs_proc_number(root, path, value);
}

static uint64_t file_pages(const char *root, const char *folder, const char *key) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t value = length > 0 && (size_t)length < sizeof path ? value_in(root, path, key) : 0;
    return value == UINT64_MAX ? 0 : value;
}

/* `*ends_all`: whether the system ends groups of the process as a whole, at this level or below. */
static uint64_t room_of_group(const char *root, const char *folder, const struct version *version,
                              bool *ends_all) {
    uint64_t limit = UINT64_MAX;
    uint64_t used = 0;
    uint64_t all = 0;
    for (int i = 0; i < 2 && version->limits[i] != NULL; i++) {
        uint64_t one = UINT64_MAX;
        limit = group_number(root, folder, version->limits[i], &one) ? least(limit, one) : limit;
    }
    (void)group_number(root, folder, "memory.oom.group", &all);
    *ends_all = *ends_all || all == 1;
    if (limit >= INT64_MAX / 2 || !group_number(root, folder, version->used, &used)) {
        return UINT64_MAX; /* v1 has a very large number for none */
    }
    uint64_t unused = file_pages(root, folder, version->unused_file_pages);
    uint64_t room = minus(limit, minus(used, unused));
    return *ends_all ? room / 2 : room;
}

/* From the process's own folder up to where the groups are mounted. */
static uint64_t room_of_groups(const char *root, char *folder, size_t mount_length,
                               const struct version *version) {
    uint64_t room = UINT64_MAX;
    bool ends_all = false;
    for (;;) {
        room = least(room, room_of_group(root, folder, version, &ends_all));
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= mount_length || slash == NULL) {
            return room;
        }
        *slash = '\0';
    }
}

/* Blanks of a name are \040 there. */
static void decode(char *name) {
    char *to = name;
    for (const char *from = name; *from != '\0';) {
        bool is_code = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
                       from[2] <= '7' && from[3] >= '0' && from[3] <= '7';
        *to++ =
            is_code ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0') : *from;
        from += is_code ? 4 : 1;
    }
    *to = '\0';
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

struct mount {
    char top[PATH_MAX];   /* the group that is mounted */
    char place[PATH_MAX]; /* where */
};

/* "id parent device root place options ... - type source options"; whether it has groups of this version. */
static bool read_mount(char *line, const struct version *version, struct mount *mount) {
    char *rest = strstr(line, " - ");
    char *word[6];
    if (rest == NULL) {
        return false;
    }
    *rest = '\0';
    char *state = NULL;
    char *type = strtok_r(rest + 3, " ", &state);
    (void)strtok_r(NULL, " ", &state);
    char *options = strtok_r(NULL, " ", &state);
    bool fits = version == &V2 ? type != NULL && strcmp(type, "cgroup2") == 0
                               : type != NULL && strcmp(type, "cgroup") == 0 && options != NULL &&
                                     has_word(options, "memory");
    for (int i = 0; fits && i < 5; i++) {
        word[i] = strtok_r(i == 0 ? line : NULL, " ", &state);
        fits = word[i] != NULL;
    }
    if (fits) {
        decode(word[3]);
        decode(word[4]);
        (void)snprintf(mount->top, sizeof mount->top, "%s", word[3]);
        (void)snprintf(mount->place, sizeof mount->place, "%s", word[4]);
    }
    return fits;
}

static bool find_mount(const char *root, const struct version *version, struct mount *mount) {
    struct hs_proc proc;
    bool is_found = false;
    if (hs_proc_open(&proc, root, "/proc/self/mountinfo")) {
        char *line;
        while (!is_found && (line = hs_proc_next(&proc)) != NULL) {
            is_found = read_mount(line, version, mount);
        }
        hs_proc_close(&proc);
    }
    return is_found;
}

/* A group that lies outside of what is mounted cannot be seen; then that is all there is to see. */
static uint64_t room_in_mount(const char *root, const struct version *version, const char *group) {
    struct mount mount;
    char folder[2 * PATH_MAX];
    if (!find_mount(root, version, &mount)) {
        return UINT64_MAX;
    }
    size_t top = strcmp(mount.top, "/") == 0 ? 0 : strlen(mount.top);
    bool is_inside = strncmp(group, mount.top, top) == 0 && group[top] == '/';
    const char *below = is_inside && strcmp(group + top, "/") != 0 ? group + top : "";
    (void)snprintf(folder, sizeof folder, "%s%s", mount.place, below);
    return room_of_groups(root, folder, strlen(mount.place), version);
}

/* "number:controllers:group"; v2 has no controllers there. */
static uint64_t room_of_line(const char *root, char *line) {
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
        return UINT64_MAX;
    }
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0') {
        return room_in_mount(root, &V2, group);
    }
    return has_word(controllers, "memory") ? room_in_mount(root, &V1, group) : UINT64_MAX;
}

static uint64_t room_of_cgroups(const char *root) {
    struct hs_proc proc;
    uint64_t room = UINT64_MAX;
    if (hs_proc_open(&proc, root, "/proc/self/cgroup")) {
        for (char *line; (line = hs_proc_next(&proc)) != NULL;) {
            room = least(room, room_of_line(root, line));
        }
        hs_proc_close(&proc);
    }
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
