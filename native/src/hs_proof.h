/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Proof: are the addresses that a walk shows those of its objects? (doc/holders.md)
 *
 * Two words are to be proved: that of the object which an edge leads to, and that of the one which refers. Each is proved by 32
 * different objects at 32 different addresses: the first word by classes, whose addresses the caller knows; the second by
 * objects whose address is known from the first word, when an edge led to them, or by classes.
 *
 * Thread: one at a time. All 0: nothing is proved. */
#ifndef HS_PROOF_H
#define HS_PROOF_H

#include <stdbool.h>
#include <stdint.h>

enum { HS_PROOF_OBJECTS = 32, HS_PROOF_SHOWN = 256 };

struct hs_proof_object {
    uint32_t node; /* 0: none */
    uint64_t place;
};

struct hs_proof_list {
    uint32_t count;
    struct hs_proof_object objects[HS_PROOF_OBJECTS];
};

struct hs_proof {
    struct hs_proof_list to;
    struct hs_proof_list from;
    struct hs_proof_object shown[HS_PROOF_SHOWN]; /* by node: a later one takes the slot */
};

/* An edge led to the object, which was shown there. */
void hs_proof_show(struct hs_proof *proof, uint32_t node, uint64_t place);

/* Where the object was shown; 0: not known, or not any more. */
uint64_t hs_proof_shown(const struct hs_proof *proof, uint32_t node);

/* The object was shown where it must be. One that is in the list already counts for nothing, and a full list takes none. False:
 * another object was shown at the same address. */
bool hs_proof_add(struct hs_proof_list *list, uint32_t node, uint64_t place);

bool hs_proof_is_done(const struct hs_proof *proof);

#endif
