/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Methods: what the VM has said of a method, so that it is queried once, and not again for each of its
 * bytecode indexes.
 *
 * A cache of fixed size, exact and forgetful: what is found was put under that key, and what another method
 * displaces is requested again. It never fills up, and of a class that is unloaded or redefined nothing is
 * found any more, for its ids or its versions are others (hs_version.h). Its names are numbers of one generation of
 * tables (hs_store.h), and nothing is found for another one: so it may outlive them, and need not exist twice.
 *
 * Orders: each slot has a sequence number, odd while the one writer that made it odd is at it. A reader takes
 * the number with acquire, each word with acquire, then the number again: the words' acquires keep that second
 * look behind them. The words are stored with release, so a reader that sees one of them sees the odd number before
 * it: a reader that met an odd or a changed number counts it as a miss, a writer gives up, and no thread waits.
 * Checked in all interleavings by tests/model/methods.pml. */
#ifndef HS_METHODS_H
#define HS_METHODS_H

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_lines.h"
#include "hs_status.h"

/* Which version of which method. */
struct hs_method_key {
    uintptr_t id;     /* its jmethodID, not 0 */
    uintptr_t method; /* that the id leads to; 0 where ids do not tell */
    uint64_t
        stamp; /* the version's signature; where it cannot be read, the time for which it is believed */
};

/* Names by number; `flags` as those of its frames (hs_frames.h), except for HS_FRAME_NATIVE. */
struct hs_method {
    struct hs_name_id class_name;
    struct hs_name_id raw_class; /* before normalisation; 0: unknown */
    struct hs_name_id name;
    struct hs_name_id descriptor;
    struct hs_name_id file; /* 0: unknown */
    uint32_t flags;
    struct hs_lines lines;
};

typedef struct hs_methods hs_methods;

/* Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_methods_new(hs_methods **result);

/* Thread: one that no other uses the cache beside. Harmless for NULL. */
void hs_methods_free(hs_methods *methods);

/* Loads the slots of a method ahead of a lookup, so that the processor waits for many at once. */
void hs_methods_prefetch(const hs_methods *methods, uintptr_t id);

/* Finds what was put under the key for these tables. `*method` is written only then. Thread: Callback; lock-free. */
bool hs_methods_find(const hs_methods *methods, uint32_t tables, const struct hs_method_key *key,
                     struct hs_method *method);

/* Remembers it for these tables, in the place of another version of the method, of one for other tables, or of any
 * other. May do nothing. Thread: Callback; lock-free. */
void hs_methods_put(hs_methods *methods, uint32_t tables, const struct hs_method_key *key,
                    const struct hs_method *method);

#ifdef HS_CHECKS
/* Is no slot being written, each in the set of its method, none behind an empty one, and its lines valid? A method may
 * be in several slots of its set. Thread: one that no other uses the cache beside. */
bool hs_methods_is_valid(const hs_methods *methods);
#endif

#endif
