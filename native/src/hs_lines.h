/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lines: the line number table of one method, in a fixed number of bytes.
 *
 * Each entry is coded as its distance from the one before: one byte where both distances are small, which
 * holds about a hundred lines of usual code. A table that finds no room is unknown as a whole. The order
 * of the entries is kept; they need not be sorted. */
#ifndef HS_LINES_H
#define HS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "hs_check.h"

enum { HS_LINES_BYTES = 130, HS_LINES_UNKNOWN = UINT16_MAX };

/* All zero: a table without entries. */
struct hs_lines {
    uint16_t bytes; /* of codes; HS_LINES_UNKNOWN: the table is not here */
    uint16_t bci;   /* of the last entry, and its line */
    uint16_t line;
    uint8_t codes[HS_LINES_BYTES];
};

/* Adds an entry. Bytecode indexes and lines have 16 bits in class files; any other makes the table unknown. */
void hs_lines_add(struct hs_lines *lines, int64_t bci, int32_t line);

/* The line of the bytecode at `bci`: that of the last entry at or before it, -1 where there is none.
 * False: the table is unknown. */
bool hs_lines_find(const struct hs_lines *lines, int64_t bci, int32_t *line);

#ifdef HS_CHECKS
/* Do the codes end where they are said to, and at the entry that was added last? */
bool hs_lines_is_valid(const struct hs_lines *lines);
#endif

#endif
