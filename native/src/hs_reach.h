/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Reach: how live objects are reachable at one moment: strongly, or only through soft references
 * (doc/reach.md).
 *
 * Objects are queried one after the other, then found in up to two walks over the heap: one that
 * follows no referent, and, if that leaves objects, one that follows the referents of soft references.
 * The walks are the VM's work; what an edge means is decided here. A state is a finding, never the lack of
 * one: what could not be proved is HS_REACH_UNKNOWN.
 *
 * Tags: the low half of an object's tag says which asked object it is, the high half which field of its
 * instances is the referent, where it is a class of references. An object can be both.
 *
 * Thread: one at a time; the VM may call hs_reach_see on another while hs_reach_find waits for it. */
#ifndef HS_REACH_H
#define HS_REACH_H

#include "hs_ops.h"

/* Numbers of the format: snapshot-format.md. */
enum hs_reach_state {
    HS_REACH_UNKNOWN, /* not walked, or not to the end */
    HS_REACH_STRONG,
    HS_REACH_SOFT, /* not strongly, but through soft references */
    HS_REACH_NONE, /* neither: weakly, through a finalizer, or garbage */
    HS_REACH_GONE, /* collected before the walk */
};

/* What references are followed by. */
enum hs_reach_kind { HS_REACH_SOFT_CLASS = 1, HS_REACH_WEAK_CLASS };

struct hs_reach;

/* The VM's part. */
struct hs_reach_vm {
    void *context;
    /* Ties the tag to the object of a weak reference: HS_OK; HS_CLOSED when there is no object any more;
     * anything else: it could not. Leaves other parts of the object's tag alone. */
    enum hs_status (*mark)(void *context, hs_ref ref, uint32_t tag);
    /* Shows the edges of the heap to hs_reach_see, until that says HS_REACH_STOP. Fails: anything but HS_OK,
     * perhaps after some edges. */
    enum hs_status (*walk)(void *context, struct hs_reach *reach);
};

/* An edge from one object, or a root, to another. */
struct hs_reach_edge {
    bool is_field; /* of an instance; `index` is JVMTI's number of it */
    int32_t index;
    int64_t referrer_class; /* tag of the referrer's class */
    int64_t referee;        /* tag */
};

/* The state by which a snapshot knows how its live objects are reachable. */
struct hs_reach_wish {
    struct hs_reach_vm vm;
    int64_t budget_us; /* the world stands still so long at most */
};

enum hs_reach_step { HS_REACH_DESCEND, HS_REACH_PASS_OVER, HS_REACH_STOP };

/* `capacity`: the most objects that are queried; further ones are not. Owns: the caller frees.
 * Fails: HS_NO_MEMORY. */
enum hs_status hs_reach_new(const struct hs_reach_wish *wish, uint32_t capacity,
                            struct hs_reach **result);

void hs_reach_free(struct hs_reach *reach);

/* Forgets who was queried. */
void hs_reach_restart(struct hs_reach *reach);

/* Queries one more object. The reference is used only during the call. */
void hs_reach_ask(struct hs_reach *reach, hs_ref ref);

/* Finds out. Stops the world for as long as it takes, which the budget bounds. */
void hs_reach_find(struct hs_reach *reach);

/* How many were queried, and the states, in that order. */
uint32_t hs_reach_count(const struct hs_reach *reach);
enum hs_reach_state hs_reach_state(const struct hs_reach *reach, uint32_t asked);

/* For the VM's part, on any thread. Takes no lock and no memory. */
enum hs_reach_step hs_reach_see(struct hs_reach *reach, const struct hs_reach_edge *edge);

/* The tag of a class of references whose referent has this number, beside what else the tag says. */
int64_t hs_reach_class_tag(int64_t tag, enum hs_reach_kind kind, uint32_t index);

/* The tag of an asked object, beside what else the tag says. */
int64_t hs_reach_object_tag(int64_t tag, uint32_t asked);

#endif
