/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_numbering.h"

#include "hs_mem.h"

enum { WORD_BITS = 64 };

static uint32_t words_for(uint32_t end) {
    return end / WORD_BITS + 1;
}

/* Without a call of the compiler's library, where the processor's instruction may not be used. */
static uint32_t count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static uint64_t bit_of(uint32_t id) {
    return UINT64_C(1) << id % WORD_BITS;
}

bool hs_numbering_new(struct hs_numbering *numbering, uint32_t end) {
    numbering->end = end;
    numbering->count = 0;
    numbering->marks = hs_mem_new_array(words_for(end), sizeof *numbering->marks);
    numbering->before = hs_mem_new_array(words_for(end), sizeof *numbering->before);
    return numbering->marks != NULL && numbering->before != NULL;
}

void hs_numbering_free(struct hs_numbering *numbering) {
    hs_mem_free(numbering->marks, words_for(numbering->end) * sizeof *numbering->marks);
    hs_mem_free(numbering->before, words_for(numbering->end) * sizeof *numbering->before);
}

static bool is_marked(const struct hs_numbering *numbering, uint32_t id) {
    return id < numbering->end && (numbering->marks[id / WORD_BITS] & bit_of(id)) != 0;
}

bool hs_numbering_mark(struct hs_numbering *numbering, uint32_t id) {
    if (id >= numbering->end || is_marked(numbering, id)) {
        return false;
    }
    numbering->marks[id / WORD_BITS] |= bit_of(id);
    return true;
}

void hs_numbering_settle(struct hs_numbering *numbering) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < words_for(numbering->end); i++) {
        numbering->before[i] = count;
        count += count_bits(numbering->marks[i]);
    }
    numbering->count = count;
}

uint32_t hs_numbering_of(const struct hs_numbering *numbering, uint32_t id) {
    if (!is_marked(numbering, id)) {
        return HS_NO_NUMBER;
    }
    uint64_t lower = numbering->marks[id / WORD_BITS] & (bit_of(id) - 1);
    return numbering->before[id / WORD_BITS] + count_bits(lower);
}

uint32_t hs_numbering_next(const struct hs_numbering *numbering, uint32_t id) {
    if (id >= numbering->end) {
        return HS_NO_NUMBER;
    }
    uint32_t word = id / WORD_BITS;
    uint64_t marks = numbering->marks[word] & ~(bit_of(id) - 1);
    while (marks == 0 && ++word < words_for(numbering->end)) {
        marks = numbering->marks[word];
    }
    return marks == 0 ? HS_NO_NUMBER : word * WORD_BITS + (uint32_t)__builtin_ctzll(marks);
}
