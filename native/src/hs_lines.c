/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A code is one byte, the bytecode distance (0 to 31) above the line distance plus one (0 to 6, so -1 to 5).
 * Or it is LONG and two numbers: each distance with its sign in the lowest bit, seven bits a byte, the lowest
 * first, the highest bit set in all but the last byte. */
#include "hs_lines.h"

enum { LINE_BITS = 3, LONG = 7, LEAST_LINE = -1, MOST_LINE = 5, MOST_BCI = 31 };
enum { LONG_BYTES = 1 + 2 * 3 }; /* 17 bits are three bytes */

struct position {
    int32_t bci;
    int32_t line;
};

static uint8_t *write_number(uint8_t *to, int32_t distance) {
    uint32_t rest = distance < 0 ? (uint32_t)-distance << 1 | 1 : (uint32_t)distance << 1;
    for (; rest >= 0x80; rest >>= 7) {
        *to++ = (uint8_t)(rest | 0x80);
    }
    *to++ = (uint8_t)rest;
    return to;
}

static const uint8_t *read_number(const uint8_t *from, int32_t *distance) {
    uint32_t number = 0;
    uint32_t shift = 0;
    for (; (*from & 0x80) != 0; shift += 7) {
        number |= (uint32_t)(*from++ & 0x7F) << shift;
    }
    number |= (uint32_t)*from++ << shift;
    *distance = (number & 1) != 0 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
    return from;
}

static uint8_t *write_code(uint8_t *to, int32_t bci, int32_t line) {
    if (bci >= 0 && bci <= MOST_BCI && line >= LEAST_LINE && line <= MOST_LINE) {
        *to++ = (uint8_t)(bci << LINE_BITS | (line - LEAST_LINE));
        return to;
    }
    *to++ = LONG;
    return write_number(write_number(to, bci), line);
}

static const uint8_t *read_code(const uint8_t *from, struct position *at) {
    int32_t bci = *from >> LINE_BITS;
    int32_t line = (*from & LONG) + LEAST_LINE;
    if ((*from++ & LONG) == LONG) {
        from = read_number(read_number(from, &bci), &line);
    }
    at->bci += bci;
    at->line += line;
    return from;
}

void hs_lines_add(struct hs_lines *lines, int64_t bci, int32_t line) {
    bool is_possible = bci >= 0 && bci <= UINT16_MAX && line >= 0 && line <= UINT16_MAX;
    if (!is_possible || lines->bytes > HS_LINES_BYTES - LONG_BYTES) {
        lines->bytes = HS_LINES_UNKNOWN; /* and stays so: there is no room then */
        return;
    }
    const uint8_t *end =
        write_code(&lines->codes[lines->bytes], (int32_t)bci - lines->bci, line - lines->line);
    lines->bytes = (uint16_t)(end - lines->codes);
    lines->bci = (uint16_t)bci;
    lines->line = (uint16_t)line;
}

bool hs_lines_find(const struct hs_lines *lines, int64_t bci, int32_t *line) {
    *line = -1;
    if (lines->bytes == HS_LINES_UNKNOWN) {
        return false;
    }
    HS_DCHECK(lines->bytes <= HS_LINES_BYTES);
    struct position at = {0, 0};
    int32_t best = -1;
    for (const uint8_t *code = lines->codes; code < lines->codes + lines->bytes;) {
        code = read_code(code, &at);
        if (at.bci <= bci && at.bci > best) {
            best = at.bci;
            *line = at.line;
        }
    }
    return true;
}

#ifdef HS_CHECKS
enum { NUMBER_BYTES = (LONG_BYTES - 1) / 2 };

/* Behind a number; NULL where it does not end. */
static const uint8_t *skip_number(const uint8_t *from, const uint8_t *end) {
    for (uint32_t i = 0; from != NULL && i < NUMBER_BYTES && from + i < end; i++) {
        if ((from[i] & 0x80) == 0) {
            return from + i + 1;
        }
    }
    return NULL;
}

static const uint8_t *skip_code(const uint8_t *from, const uint8_t *end) {
    bool is_long = (*from++ & LONG) == LONG;
    return is_long ? skip_number(skip_number(from, end), end) : from;
}

bool hs_lines_is_valid(const struct hs_lines *lines) {
    struct position at = {0, 0};
    if (lines->bytes == HS_LINES_UNKNOWN) {
        return true;
    }
    if (lines->bytes > HS_LINES_BYTES) {
        return false;
    }
    const uint8_t *end = lines->codes + lines->bytes;
    for (const uint8_t *code = lines->codes; code < end;) {
        if (skip_code(code, end) == NULL) {
            return false;
        }
        code = read_code(code, &at);
        if (at.bci < 0 || at.bci > UINT16_MAX || at.line < 0 || at.line > UINT16_MAX) {
            return false;
        }
    }
    return at.bci == lines->bci && at.line == lines->line;
}
#endif
