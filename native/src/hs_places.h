/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Places: numbers of objects by their addresses, while no object moves.
 *
 * A table for each MiB of addresses in which there is an object, found by the bits above. Objects that a walk meets in a row
 * mostly lie close together, and so do their places. 9 to 14 bytes an object where a MiB has many.
 *
 * Thread: one at a time. Takes memory of hs_mem. */
#ifndef HS_PLACES_H
#define HS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_status.h"

struct hs_places;

/* Owns: the caller frees. Fails: HS_NO_MEMORY. */
enum hs_status hs_places_new(struct hs_places **result);
void hs_places_free(struct hs_places *places);

/* The number at this address; 0: none. */
uint32_t hs_places_get(const struct hs_places *places, uint64_t address);

/* Puts a number, not 0, where there is none. False without room, and for what no address of an object is: not a multiple of 8,
 * or of more than 48 bits. */
bool hs_places_put(struct hs_places *places, uint64_t address, uint32_t number);

uint64_t hs_places_bytes(const struct hs_places *places);

#endif
