/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What hs_child.c, the parent's side, and hs_child_self.c, the child's, have in common. */
#ifndef HS_CHILD_PARTS_H
#define HS_CHILD_PARTS_H

#include "hs_child.h"

enum hs_child_exit {
    HS_CHILD_EXIT_DONE,
    HS_CHILD_EXIT_ALONE,
    HS_CHILD_EXIT_STUCK,
    HS_CHILD_EXIT_NO_ROOM
};

/* What comes first through the pipe. Both sides are the same program, so its layout is that of memory. */
struct hs_child_header {
    uint64_t magic;
    uint64_t bytes; /* that follow */
    int64_t cpu_us;
    uint64_t private_bytes;
};
#define HS_CHILD_MAGIC UINT64_C(0x31444c4843534548)

/* Makes the process what a child is (hs_child.h). In the child, directly after the fork, with all signals blocked. */
void hs_child_become(struct hs_child *child, pid_t parent);

/* Whether a test wants such a call to fail; then errno is set. */
bool hs_child_fails(enum hs_child_call call);

#endif
