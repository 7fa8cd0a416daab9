/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Bias: how far estimates are from what the VM itself counts.
 *
 * JDK 17 to 24 sample too often or too seldom where objects are allocated outside thread-local buffers
 * (JDK-8356372). A single sample does not show it, but the VM counts the bytes of each thread exactly.
 * Count from one sample of a thread to its next ones, for as long as the interval stays: then what was
 * counted up to the last of them and what all *but the last* stand for have the same expectation, when
 * all is well. (Not with the last: nothing is counted behind it. Nor with the one where counting
 * began: nothing is counted before it.) Both are added up over all threads here, for as long as the
 * tables live; doc/estimator.md. */
#ifndef HS_BIAS_H
#define HS_BIAS_H

#include "hs_tally.h"
#include "hs_thread_state.h"

enum hs_bias_sum {
    HS_BIAS_COUNTED,   /* bytes */
    HS_BIAS_ESTIMATED, /* bytes */
    HS_BIAS_VARIANCE,  /* of HS_BIAS_ESTIMATED, in KiB squared, rounded up */
};

/* Begins at a cache line. */
struct hs_bias {
    struct hs_tally sums;
};

/* Thread: Any. What is added meanwhile may be missing from one and not from another. */
static inline uint64_t hs_bias_sum(const struct hs_bias *bias, enum hs_bias_sum sum) {
    return hs_tally_sum_of(&bias->sums, sum);
}

/* No sample counts for a longer distance in hs_density, in intervals: one is longer once in 10^7. */
#define HS_BIAS_LONGEST 16

/* Takes note of a sample of `size` bytes, above 0, whose step was drawn with `interval`, when this
 * thread has allocated this many bytes since it began. The first sample of a thread in an enable counts
 * from there, as does one at another interval, and one with a count that cannot be: because it goes
 * back, or is ahead of all that 64 steps may come to. *self has the density of this sample then, with
 * `length` 0 where counting begins. Thread: Callback. */
void hs_bias_add(struct hs_bias *bias, struct hs_thread_state *self, uint64_t size,
                 uint32_t interval, uint64_t allocated);

#endif
