/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Examples: for each site of a recording up to HS_EXAMPLES spans in which it has allocated.
 *
 * They are the last ones of different traces: a sample whose trace is there already changes nothing, any other takes the
 * place of the oldest. So they are as young as the samples, and tracing systems still have them. Two threads that add to one
 * site at the same moment: one of the two is left out. Examples are no sums: which ones are there says nothing about how many
 * there were.
 *
 * Memory comes in blocks of HS_EXAMPLES_BLOCK sites, when a site of a block has its first example; their table comes with the
 * first block. Orders: both are set once by compare-and-swap, with release, and read with acquire. A site's `state` is claimed by compare-and-swap, and
 * counts its changes; the numbers of its spans are stored with release and loaded with acquire, so a reader that has seen a part of a
 * change also sees that the state has changed. */
#ifndef HS_EXAMPLES_H
#define HS_EXAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_status.h"

enum { HS_EXAMPLES = 3, HS_EXAMPLES_BLOCK = 48 };

/* As W3C Trace Context has them: neither is all zero. */
struct hs_example {
    unsigned char trace[16];
    unsigned char span[8];
};

typedef struct hs_examples hs_examples;

/* For sites 0 to max_id. Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_examples_new(uint32_t max_id, hs_examples **result);

/* Harmless for NULL. Thread: with no callback inside. */
void hs_examples_free(hs_examples *examples);

/* Thread: Callback; no lock, no wait. Without memory the example is left out. */
void hs_examples_add(hs_examples *examples, struct hs_site_id site, const struct hs_example *span);

/* Copies the examples of a site, the oldest first. Returns how many; 0 where a thread is just changing them.
 * Thread: Any, with the memory there. */
uint32_t hs_examples_read(const hs_examples *examples, struct hs_site_id site,
                          struct hs_example result[HS_EXAMPLES]);

/* May there be any? Cheap. Thread: Any. */
bool hs_examples_has_any(const hs_examples *examples);

/* Moves the examples of a site to a site of another table, where it has room: those that are there are younger. What a callback adds
 * meanwhile stays, so the move may be repeated. Without memory they are lost.
 * Thread: holder of HS_RANK_SWEEP. */
void hs_examples_move(hs_examples *from, struct hs_site_id site, hs_examples *to,
                      struct hs_site_id to_site);

/* Forgets all. Thread: holder of HS_RANK_SWEEP, with no callback inside. */
void hs_examples_clear(hs_examples *examples);

#ifdef HS_CHECKS
/* Is no site claimed, and is the count of each in range? Thread: as above. */
bool hs_examples_is_valid(const hs_examples *examples);
#endif

#endif
