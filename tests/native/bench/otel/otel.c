/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the OpenTelemetry record of its thread costs a sample, in nanoseconds: bench_otel [rounds]. As a test it only runs. */
#include <stdlib.h>

#include "hs_clock.h"
#include "unit/attached_record.h"

static struct hs_otel otel;
static struct hs_otel_slots slots;
static struct hs_otel_context context;
static volatile bool has_record;

static void measure(const char *what, int64_t rounds) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        int64_t began = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int64_t round = 0; round < rounds; round++) {
            has_record = hs_otel_is_on(&otel) && hs_otel_read(&otel, &slots, &context);
        }
        int64_t took = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        best = took < best ? took : best;
    }
    printf("%-36s %8.1f ns\n", what, (double)best / (double)rounds);
}

int main(int argc, char **argv) {
    int64_t rounds = argc > 1 ? atol(argv[1]) : 1000;
    measure("no library", rounds);
    attach_record(&otel);
    attached = NULL;
    measure("a library, no record", rounds);
    attached = attached_record;
    attached_record[26] = 0;
    measure("a record without attributes", rounds);
    attached_record[26] = 9;
    measure("a record with two attributes", rounds);
    return 0;
}
