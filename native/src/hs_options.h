/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Options of -agentpath: "key=value,key=value". Options that are not named have their defaults. */
#ifndef HS_OPTIONS_H
#define HS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HS_OPTIONS_PATH = 4096, HS_OPTIONS_MESSAGE = 512 };

struct hs_options {
    uint64_t interval;       /* bytes; 0: every allocation */
    uint64_t allocations;    /* mean from one sample to the next; 0: not counted */
    uint64_t at_most_one_us; /* microseconds; 0: no cap */
    uint64_t max_overhead;   /* parts per million of the processor time; 0: as others ask */
    uint64_t max_depth;
    uint64_t max_tracked; /* UINT64_MAX: as the collector allows */
    uint64_t max_stacks;
    uint64_t max_names;
    uint64_t max_sites;
    uint64_t max_threads;
    uint64_t max_dead;
    char report_on_oom[HS_OPTIONS_PATH]; /* empty: none */
};

/* Reads them; `text` may be NULL. On failure `message` says what is wrong and what would be right, and
 * the options are not to be used. Thread: Any. */
bool hs_options_read(const char *text, struct hs_options *options,
                     char message[HS_OPTIONS_MESSAGE]);

#endif
