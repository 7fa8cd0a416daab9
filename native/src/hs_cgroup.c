/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hs_proc.h"

/* The names of both versions. */
struct version {
    const char *max;
    const char *high; /* NULL: it has none */
    const char *used;
    const char *unused_file_pages; /* in memory.stat */
};
static const struct version V1 = {"memory.limit_in_bytes", NULL, "memory.usage_in_bytes",
                                  "total_inactive_file"};
static const struct version V2 = {"memory.max", "memory.high", "memory.current", "inactive_file"};

struct search {
    const char *root;
    hs_cgroup_visit *visit;
    void *context;
};

/* --- One group ------------------------------------------------------------------------------------- */

static bool group_number(const char *root, const char *folder, const char *name, uint64_t *value) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && hs_proc_number(root, path, value);
}

/* The limit in a file; v1 has a very large number for none. */
static uint64_t group_limit(const char *root, const char *folder, const char *name) {
    uint64_t limit = UINT64_MAX;
    if (name == NULL || !group_number(root, folder, name, &limit) || limit >= INT64_MAX / 2) {
        return UINT64_MAX;
    }
    return limit;
}

static uint64_t file_pages(const char *root, const char *folder, const char *key) {
    char path[PATH_MAX];
    struct hs_proc proc;
    uint64_t value = 0;
    int length = snprintf(path, sizeof path, "%s/memory.stat", folder);
    if (length > 0 && (size_t)length < sizeof path && hs_proc_open(&proc, root, path)) {
        const char *line;
        while ((line = hs_proc_next(&proc)) != NULL && !hs_proc_value(line, key, &value)) {
        }
        hs_proc_close(&proc);
    }
    return value;
}

/* Only of a group with a limit are there more files to read. False: without a limit, or its use is unknown. */
static bool read_group(const char *root, const char *folder, const struct version *version,
                       struct hs_cgroup *group) {
    uint64_t all = 0;
    (void)group_number(root, folder, "memory.oom.group", &all);
    group->ends_all = group->ends_all || all == 1;
    group->max = group_limit(root, folder, version->max);
    group->high = group_limit(root, folder, version->high);
    bool has_limit = group->max != UINT64_MAX || group->high != UINT64_MAX;
    if (!has_limit || !group_number(root, folder, version->used, &group->used)) {
        return false;
    }
    uint64_t unused = file_pages(root, folder, version->unused_file_pages);
    group->used = group->used > unused ? group->used - unused : 0;
    return true;
}

/* From the process's own folder up to where the groups are mounted. */
static void visit_groups(const struct search *search, char *folder, size_t mount_length,
                         const struct version *version) {
    struct hs_cgroup group = {.ends_all = false};
    for (;;) {
        if (read_group(search->root, folder, version, &group)) {
            search->visit(&group, search->context);
        }
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= mount_length || slash == NULL) {
            return;
        }
        *slash = '\0';
    }
}

/* --- Where groups are -------------------------------------------------------------------------------- */

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
static void visit_mount(const struct search *search, const struct version *version,
                        const char *group) {
    struct mount mount;
    char folder[2 * PATH_MAX];
    if (!find_mount(search->root, version, &mount)) {
        return;
    }
    size_t top = strcmp(mount.top, "/") == 0 ? 0 : strlen(mount.top);
    bool is_inside = strncmp(group, mount.top, top) == 0 && group[top] == '/';
    const char *below = is_inside && strcmp(group + top, "/") != 0 ? group + top : "";
    (void)snprintf(folder, sizeof folder, "%s%s", mount.place, below);
    visit_groups(search, folder, strlen(mount.place), version);
}

/* "number:controllers:group"; v2 has no controllers there. */
static void visit_line(const struct search *search, char *line) {
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
        return;
    }
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0') {
        visit_mount(search, &V2, group);
    } else if (has_word(controllers, "memory")) {
        visit_mount(search, &V1, group);
    }
}

void hs_cgroup_each(const char *root, hs_cgroup_visit *visit, void *context) {
    const struct search search = {root, visit, context};
    struct hs_proc proc;
    if (hs_proc_open(&proc, root, "/proc/self/cgroup")) {
        for (char *line; (line = hs_proc_next(&proc)) != NULL;) {
            visit_line(&search, line);
        }
        hs_proc_close(&proc);
    }
}

/* --- The fullest ------------------------------------------------------------------------------------- */

static double fullness(const struct hs_cgroup *group) {
    return (double)group->used / (double)group->max;
}

static void keep_fuller(const struct hs_cgroup *group, void *context) {
    struct hs_cgroup *fullest = context;
    bool is_limited = group->max != UINT64_MAX && group->max > 0;
    if (is_limited && (fullest->max == 0 || fullness(group) > fullness(fullest))) {
        *fullest = *group;
    }
}

bool hs_cgroup_fullest(const char *root, struct hs_cgroup *fullest) {
    *fullest = (struct hs_cgroup){.max = 0};
    hs_cgroup_each(root, keep_fuller, fullest);
    return fullest->max > 0;
}
