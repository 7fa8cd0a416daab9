/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_places.h"

#include <stddef.h>

#include "hs_mem.h"

/* An address: 14 bits of a block (16 GiB), 14 bits of an area (1 MiB), 17 bits of a place, and 3 that are 0. */
enum { PLACE_SHIFT = 3, AREA_SHIFT = 20, BLOCK_SHIFT = 34, ADDRESS_BITS = 48 };
enum {
    PLACES = 1 << (AREA_SHIFT - PLACE_SHIFT),
    AREAS = 1 << (BLOCK_SHIFT - AREA_SHIFT),
    BLOCKS = 1 << (ADDRESS_BITS - BLOCK_SHIFT)
};

enum { FIRST_ROOM = 16, NUMBER_SHIFT = 32 };

/* Slots are the number above the place; 0: free. Linear probing: of 8 slots one is free at least. */
struct area {
    uint64_t *slots;
    uint32_t count;
    uint32_t room;
};

struct block {
    struct area areas[AREAS];
};

struct hs_places {
    struct block *blocks[BLOCKS];
    uint64_t bytes;
};

enum hs_status hs_places_new(struct hs_places **result) {
    struct hs_places *places = hs_mem_new(sizeof *places);
    if (places == NULL) {
        return HS_NO_MEMORY;
    }
    places->bytes = sizeof *places;
    *result = places;
    return HS_OK;
}

void hs_places_free(struct hs_places *places) {
    if (places == NULL) {
        return;
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct block *block = places->blocks[i];
        for (uint32_t j = 0; block != NULL && j < AREAS; j++) {
            hs_mem_free(block->areas[j].slots, block->areas[j].room * sizeof(uint64_t));
        }
        hs_mem_free(block, sizeof *block);
    }
    hs_mem_free(places, sizeof *places);
}

static uint32_t place_of(uint64_t address) {
    return (uint32_t)(address >> PLACE_SHIFT) & (PLACES - 1);
}

/* The slot with this place, or the free one where it belongs. */
static uint64_t *find(const struct area *area, uint32_t place) {
    uint32_t hash = place * UINT32_C(0x9e3779b1);
    uint32_t at = (uint32_t)((uint64_t)hash * area->room >> 32);
    while (area->slots[at] != 0 && (uint32_t)area->slots[at] != place) {
        at = at + 1 == area->room ? 0 : at + 1;
    }
    return &area->slots[at];
}

static const struct area *area_of(const struct hs_places *places, uint64_t address) {
    uint64_t block = address >> BLOCK_SHIFT;
    return block >= BLOCKS || places->blocks[block] == NULL
               ? NULL
               : &places->blocks[block]->areas[address >> AREA_SHIFT & (AREAS - 1)];
}

uint32_t hs_places_get(const struct hs_places *places, uint64_t address) {
    const struct area *area = area_of(places, address);
    if (area == NULL || area->room == 0 || address % (1 << PLACE_SHIFT) != 0) {
        return 0;
    }
    return (uint32_t)(*find(area, place_of(address)) >> NUMBER_SHIFT);
}

static bool has_room(struct hs_places *places, struct area *area) {
    if (area->count < area->room - area->room / 8) {
        return true;
    }
    struct area grown = {.count = area->count,
                         .room = area->room == 0 ? FIRST_ROOM : area->room + area->room / 2};
    grown.slots = hs_mem_new_array(grown.room, sizeof *grown.slots);
    if (grown.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < area->room; i++) {
        if (area->slots[i] != 0) {
            *find(&grown, (uint32_t)area->slots[i]) = area->slots[i];
        }
    }
    hs_mem_free(area->slots, area->room * sizeof *area->slots);
    places->bytes += (grown.room - area->room) * sizeof *grown.slots;
    *area = grown;
    return true;
}

bool hs_places_put(struct hs_places *places, uint64_t address, uint32_t number) {
    uint64_t block = address >> BLOCK_SHIFT;
    if (block >= BLOCKS || address % (1 << PLACE_SHIFT) != 0) {
        return false;
    }
    if (places->blocks[block] == NULL) {
        places->blocks[block] = hs_mem_new(sizeof(struct block));
        if (places->blocks[block] == NULL) {
            return false;
        }
        places->bytes += sizeof(struct block);
    }
    struct area *area = &places->blocks[block]->areas[address >> AREA_SHIFT & (AREAS - 1)];
    if (!has_room(places, area)) {
        return false;
    }
    *find(area, place_of(address)) = (uint64_t)number << NUMBER_SHIFT | place_of(address);
    area->count++;
    return true;
}

uint64_t hs_places_bytes(const struct hs_places *places) {
    return places->bytes;
}
