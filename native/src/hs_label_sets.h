/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Label sets: those that threads may open (doc/labels.md). One table for the process, whether sampling is on or not.
 *
 * A set is `key 0 value 0 key 0 value 0 ...`, sorted by key, and immutable. A *word* of 52 bits names it: how often its
 * slot was used << 12 | the slot. A slot that is used again gives other words, so an old word finds nothing, and
 * never another set. Word 0 is no set, word 1 the set "(other)", which stands for those that found no room: it is
 * always there.
 *
 * Bounded: HS_MAX_LABEL_SETS sets, and 2 MiB. A removed set counts until its memory is free: callbacks may still read
 * it. Each later call looks at the phaser, without waiting, and frees what no callback can see any more. While one
 * stays inside for long (a debugger, a long pause) removed sets add up, and the table may be full.
 *
 * Orders: a set is whole before its slot leads to it. Publishing, removing and the load in a callback are seq_cst, for
 * the proof in hs_phaser.h: after the slot was emptied, a callback that enters the phaser finds nothing there. */
#ifndef HS_LABEL_SETS_H
#define HS_LABEL_SETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_ops.h"
#include "hs_phaser.h"
#include "hs_status.h"

enum {
    HS_LABEL_SLOTS = 4096,
    HS_MAX_LABEL_SETS = HS_LABEL_SLOTS - 2, /* two slots are word 0 and word 1 */
    HS_MAX_LABELS_OF_SET = 16,
    HS_MAX_LABEL_KEY = 64 * 3, /* bytes of modified UTF-8 */
    HS_MAX_LABEL_VALUE = 256 * 3,
    HS_MAX_LABEL_SET = HS_MAX_LABELS_OF_SET * (HS_MAX_LABEL_KEY + HS_MAX_LABEL_VALUE + 2),
};

#define HS_LABELS_NONE  UINT64_C(0)
#define HS_LABELS_OTHER UINT64_C(1)

/* Bytes of all sets. */
#define HS_MAX_LABEL_BYTES ((uint32_t)2 << 20)

struct hs_label_set {
    uint64_t word; /* constant, as text and bytes are */
    const char *text;
    uint32_t bytes;
    /* Its number in the tables that it was last used with: hs_store.code_serial << 24 | hs_label_id. Written and read
     * by callbacks; release, acquire: a thread that has the number from here passes it on to readers of the table. */
    _Atomic uint64_t known;
    /* The lock of the table. 0 while hs_label_sets_remove_orphans queries the VM about it. */
    hs_ref owner;
    struct hs_label_set *next; /* of those that are removed */
};

/* Adds a set. `owner`: a weak reference to the Java class that does so.
 * Thread: Any but Callback. Takes HS_RANK_LABELS, for less than a microsecond.
 * Owns:   the table has `owner` if it returns HS_OK.
 * Fails:  HS_INVALID for other bytes than a set has, HS_NO_MEMORY, HS_FULL. */
enum hs_status hs_label_sets_add(struct hs_phaser *phaser, const char *bytes, uint32_t count,
                                 hs_ref owner, uint64_t *word);

/* Removes a set; the caller releases its owner, which is returned. 0: there is no such set, or another thread has its owner and
 * releases it. Thread: as above. */
hs_ref hs_label_sets_remove(struct hs_phaser *phaser, uint64_t word);

/* Removes the sets of owners that were collected, and releases these.
 * Thread: as above, with an env; calls the VM, never with the lock. */
void hs_label_sets_remove_orphans(struct hs_phaser *phaser, const struct hs_ops *ops, void *env);

/* The set of a word; NULL for 0, and for one that was removed. Thread: Callback, inside the phaser. Owns: the table,
 * until the callback leaves. */
struct hs_label_set *hs_label_sets_find(uint64_t word);

/* How many sets were added and not removed. Thread: Any. */
uint32_t hs_label_sets_count(void);

/* Is this a set? Thread: Any. */
bool hs_label_bytes_are_valid(const char *bytes, uint32_t count);

#ifdef HS_CHECKS
/* As if each slot had been used so often. No set may be there. */
void hs_label_sets_age(uint64_t uses);
#endif

#endif
