/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Classes: from a class object to its name, without asking the VM for text.
 *
 * A cache of weak references to class objects, found by identity hash and checked with the VM's own
 * comparison; a class that is not here is simply named again. Entries are added by callbacks without
 * a lock. The sweeper removes those whose class was unloaded, in two steps around a phaser wait,
 * since a callback may hold a reference that it has just read.
 *
 * Orders: a slot goes from free to reserved by compare-and-swap; its reference is set with release and read with
 * acquire or more, so who sees it sees the tag. A reader may pair a reference with the tag of a later tenant;
 * harmless, since that reference is of an unloaded class and equals no object. Taking a reference out and reading it
 * in a callback are seq_cst, as hs_phaser.h wants of what is freed after a wait. */
#ifndef HS_CLASSES_H
#define HS_CLASSES_H

#include "hs_ids.h"
#include "hs_ops.h"
#include "hs_phaser.h"

typedef struct hs_classes hs_classes;

/* Is `object`, a reference of the calling thread, the object behind the weak `ref`? */
typedef bool hs_is_same(void *env, uintptr_t object, hs_ref ref);

/* Owns: the caller frees, after hs_classes_clear. Fails: HS_NO_MEMORY. */
enum hs_status hs_classes_new(hs_classes **result);
void hs_classes_free(hs_classes *classes);

/* The number of the name of a class; 0 if it is not known here. *hint is set when it is.
 * Thread: Callback. */
struct hs_name_id hs_classes_find(const hs_classes *classes, uint32_t hash, hs_is_same *is_same,
                                  void *env, uintptr_t object, uint16_t *hint);

/* The same for a class that may be the one in slot `hint`, which hs_classes_find has set: spares the
 * caller the hash. Any number will do. */
struct hs_name_id hs_classes_try(const hs_classes *classes, uint32_t hint, hs_is_same *is_same,
                                 void *env, uintptr_t object);

/* Remembers a class. Returns true when `ref` passed in; false when it stays the caller's, because
 * there was no room. Thread: Callback. */
bool hs_classes_put(hs_classes *classes, uint32_t hash, hs_ref ref, struct hs_name_id name);

/* Removes unloaded classes, as many as one batch takes. While a callback stays inside for longer than
 * the patience, their references are kept, and given back by a later purge, or by clear.
 * Thread: holder of HS_RANK_CONTROL and HS_RANK_SWEEP. */
void hs_classes_purge(hs_classes *classes, const struct hs_ops *ops, void *env,
                      struct hs_phaser *phaser, int64_t patience_us);

/* Gives all references back. Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_classes_clear(hs_classes *classes, const struct hs_ops *ops, void *env);

#endif
