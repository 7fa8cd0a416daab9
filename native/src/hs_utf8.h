/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* UTF-8 of other programs to the modified UTF-8 of the JVM, in which snapshots keep texts: a character beyond 16 bits is
 * two surrogates of 3 bytes each. Thread: any, also Callback; no allocation. */
#ifndef HS_UTF8_H
#define HS_UTF8_H

#include <stddef.h>

/* Converts `bytes` bytes, of 1 to `most` Java chars, into `room` bytes at most. Returns the length.
 * Fails: 0, for no text, a longer one, one that finds no room, bytes that are no UTF-8, and control characters. */
size_t hs_utf8_modify(const void *from, size_t bytes, size_t most, char *to, size_t room);

#endif
