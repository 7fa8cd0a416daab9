/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Intern table: gives equal byte strings equal, small numbers. The base of names, frames, stacks,
 * sites and threads.
 *
 * Append-only and bounded. Entries lie in chunks that never move, are written whole, then published
 * by one compare-and-swap of an index slot; a reader that finds a number can read its entry until
 * the table is freed. Keys are compared byte by byte, never by hash alone. When two threads add the
 * same key at once, one wins and the other's number is never used: ids are unique but not gapless.
 *
 * Orders: an entry is whole before it is reachable: from its page (release store, acquire load) and from
 * the index (releasing compare-and-swap, acquire load). A slot is set once, so equal keys, which probe the
 * same slots in the same order, meet in the same one: the loser looks again from there. Checked in
 * all interleavings by tests/model/intern.pml.
 *
 * Not here: removing (throw the whole table away), what the bytes mean. */
#ifndef HS_INTERN_H
#define HS_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_status.h"

typedef struct hs_intern hs_intern;

enum { HS_INTERN_MAX = 1 << 24 };

/* A table of at most `max_entries` (1 to HS_INTERN_MAX) keys, ids 1 to max_entries.
 * Owns:  the caller frees with hs_intern_free.
 * Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_intern_new(uint32_t max_entries, hs_intern **result);

/* Thread: one that no other uses the table beside. Harmless for NULL. */
void hs_intern_free(hs_intern *table);

/* Finds the key, or adds a copy of it. `bytes` may be 0.
 * Thread: Callback, Control. Lock-free; mallocs only when a chunk or a page is full.
 * Fails:  HS_FULL, HS_NO_MEMORY; *id is 0 then. */
enum hs_status hs_intern_put(hs_intern *table, const void *key, uint32_t bytes, uint32_t *id);

/* The same, but a new key fails with HS_FULL when `limit` ids were given: what is beyond is a reserve for
 * other keys. Threads that add at once may pass the limit by one each, never the table's own. */
enum hs_status hs_intern_put_within(hs_intern *table, uint32_t limit, const void *key,
                                    uint32_t bytes, uint32_t *id);

/* Loads the key's slot ahead of a lookup, so that the processor waits for many at once. Thread: Any. */
void hs_intern_prefetch(const hs_intern *table, const void *key, uint32_t bytes);

/* Finds the key; 0 if it is not there. Thread: Any. */
uint32_t hs_intern_find(const hs_intern *table, const void *key, uint32_t bytes);

/* The key of an id, aligned to 8; NULL for an id that was never published.
 * Thread: Any. Owns: the table. */
const void *hs_intern_key(const hs_intern *table, uint32_t id, uint32_t *bytes);

/* The length of a key that this module answered. Thread: Any. */
uint32_t hs_intern_length(const void *key);

/* Keeps a number beside the key of this id, which was published; the first one stays, and 0 is none. Relaxed. Set it
 * before the id is handed on. Thread: Any. */
void hs_intern_note(hs_intern *table, uint32_t id, uint32_t note);

/* That number; 0: none. Thread: Any. */
uint32_t hs_intern_noted(const hs_intern *table, uint32_t id);

/* One more than the highest id given so far. Thread: Any. */
uint32_t hs_intern_end(const hs_intern *table);

/* Highest id there can be. Thread: Any. */
uint32_t hs_intern_capacity(const hs_intern *table);

#ifdef HS_CHECKS
/* Is each key found under its own number and no other, and does the index lead to nothing else?
 * Thread: one that no other uses the table beside. */
bool hs_intern_is_valid(const hs_intern *table);
#endif

#endif
