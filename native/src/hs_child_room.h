/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Child room: may there be a child, by what the system says of memory (hs_child.h). Linux only.
 *
 * `root` is put in front of the path of each file: "" but in tests. */
#ifndef HS_CHILD_ROOM_H
#define HS_CHILD_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* How much memory a child may take, in bytes; UINT64_MAX where nothing bounds it or nothing is known. The least of:
 * - what the machine has available (MemAvailable of /proc/meminfo);
 * - what each memory cgroup of the process and each of its ancestors that can be seen leaves (v1 and v2; the lower of memory.max and
 *   memory.high), file pages that have not been used lately counted as free. Half of that where the system, out of
 *   memory, would end the whole group (memory.oom.group), and so the application;
 * - RLIMIT_AS and RLIMIT_DATA (/proc/self/limits), which hold for each process;
 * - where the system does not overcommit (overcommit_memory = 2), what CommitLimit leaves after the fork, which counts all
 *   that the process may write once more.
 * The child takes what it allocates and a page for each one that either of the two writes. Swap is not counted.
 * Thread: any; reads files. */
uint64_t hs_child_room(const char *root);

/* Is the memory at each of these addresses private to the process, so that a child has a copy of it? By
 * /proc/self/maps; false where that cannot be read, or an address lies in no mapping. Thread: any; reads a file. */
bool hs_child_has_copy(const char *root, const uintptr_t *addresses, uint32_t count);

/* In the child: makes shared mappings private that can be written, are at most 1 MiB, and whose file's path contains `part`
 * (HotSpot's counters: "/hsperfdata_"). What the child writes there does not reach the application's any more. Returns
 * how many; those that cannot be made private can no longer be written. Thread: the only one. */
uint32_t hs_child_unshare(const char *part);

#endif
