/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_SURROGATE = 0xD800, LOW_SURROGATE = 0xDC00, LAST_SURROGATE = 0xDFFF };
enum { FIRST_OF_TWO = 0x10000, LAST_CHARACTER = 0x10FFFF, SURROGATE_BYTES = 3 };

/* How many bytes a character has, by the first one; 0: none begins so. */
static size_t length_of(unsigned char first) {
    return first < 0x80   ? 1
           : first < 0xC2 ? 0
           : first < 0xE0 ? 2
           : first < 0xF0 ? 3
           : first < 0xF5 ? 4
                          : 0;
}

/* The character of `length` bytes; UINT32_MAX where it is none, or has a shorter form. */
static uint32_t decode(const unsigned char *at, size_t length) {
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, FIRST_OF_TWO};
    uint32_t character = length == 1 ? at[0] : at[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return UINT32_MAX;
        }
        character = character << 6 | (at[i] & 0x3FU);
    }
    bool is_surrogate = character >= FIRST_SURROGATE && character <= LAST_SURROGATE;
    bool is_there = character >= LEAST[length] && character <= LAST_CHARACTER && !is_surrogate;
    return is_there ? character : UINT32_MAX;
}

static bool is_control(uint32_t character) {
    return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

static void put_surrogate(char *to, uint32_t unit) {
    to[0] = (char)(0xE0 | unit >> 12);
    to[1] = (char)(0x80 | (unit >> 6 & 0x3F));
    to[2] = (char)(0x80 | (unit & 0x3F));
}

size_t hs_utf8_modify(const void *from, size_t bytes, size_t most, char *to, size_t room) {
    const unsigned char *at = from;
    const unsigned char *end = at + bytes;
    size_t written = 0;
    size_t chars = 0;
    while (at < end) {
        size_t length = length_of(*at);
        uint32_t character =
            length == 0 || length > (size_t)(end - at) ? UINT32_MAX : decode(at, length);
        bool is_two = character >= FIRST_OF_TWO;
        size_t needed = is_two ? (size_t)2 * SURROGATE_BYTES : length;
        chars += is_two ? 2 : 1;
        if (character == UINT32_MAX || is_control(character) || chars > most ||
            needed > room - written) {
            return 0;
        }
        if (is_two) {
            put_surrogate(to + written, FIRST_SURROGATE + ((character - FIRST_OF_TWO) >> 10));
            put_surrogate(to + written + SURROGATE_BYTES,
                          LOW_SURROGATE + ((character - FIRST_OF_TWO) & 0x3FF));
        } else {
            memcpy(to + written, at, length);
        }
        written += needed;
        at += length;
    }
    return written;
}
