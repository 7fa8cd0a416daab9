/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Cgroup: the memory limits of the groups that this process belongs to, of both versions. Linux only.
 *
 * The groups are the process's own and each of its ancestors that can be seen: a container often sees its own alone.
 * Only groups with a limit are reported. `root` is put in front of the path of each file: "" but in tests. */
#ifndef HS_CGROUP_H
#define HS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct hs_cgroup {
    uint64_t max; /* bytes above which the system ends processes (memory.max); UINT64_MAX: none */
    uint64_t
        high; /* bytes above which it slows them (memory.high); UINT64_MAX: none, as always in v1 */
    uint64_t
        used; /* bytes in use, without pages of files that were not used lately (inactive_file) */
    bool
        ends_all; /* out of memory, the system ends all processes of this group or of one below (memory.oom.group) */
};

typedef void hs_cgroup_visit(const struct hs_cgroup *group, void *context);

/* Calls `visit` for each group with a limit, from the own one upwards. Takes no memory and keeps no state.
 * Thread: any; reads files. */
void hs_cgroup_each(const char *root, hs_cgroup_visit *visit, void *context);

/* The group that uses the largest share of its `max`. Fails: false where no group has one, or nothing can be read.
 * Thread: any; reads files. */
bool hs_cgroup_fullest(const char *root, struct hs_cgroup *fullest);

#endif
