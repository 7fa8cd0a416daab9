/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Estimates: what one sample stands for. Pure arithmetic; derivation in doc/estimator.md.
 *
 * HotSpot samples an object of s bytes with p = 1 - exp(-s/T) (T the mean interval; p = 1 for T = 0),
 * because the distance between sample points is exponential. So a sample stands for 1/p objects
 * (Horvitz and Thompson 1952), and the variance of a sum over samples is estimated without bias by
 * the sum of w^2 (1 - p). */
#ifndef HS_ESTIMATE_H
#define HS_ESTIMATE_H

#include <stdint.h>

/* How a sample was drawn, in one word (`drawn`): from 0 to INT32_MAX the interval of its step; with
 * the highest bit set, the others are the chance itself, as an IEEE 754 float. In snapshots as well. */
#define HS_DRAWN_BY_CHANCE (UINT32_C(1) << 31)

struct hs_weight {
    double objects;
    double objects_variance;
    double bytes;
    double bytes_variance;
};

/* The word for a chance, which is in (0, 1]. */
uint32_t hs_estimate_drawn_by(double chance);

/* Chance that an object of `size` bytes (above 0) is sampled; in (0, 1]. */
double hs_estimate_probability(uint64_t size, uint32_t drawn);

/* JDK 17 to 24 count the room of a buffer before it is used, and sample the next object when a collection
 * takes the buffer and the sample point lay in its rest. In bytes. */
struct hs_refill {
    uint64_t
        ahead; /* counted in advance, up to the sample point or the end of that buffer; above 0 */
    uint64_t used;  /* of that buffer, its first object included; 0: not known */
    uint64_t since; /* allocated by the thread since the VM last sampled it, without the object */
    uint64_t room;  /* of such a buffer, without its first object; about */
};

/* What a thread has allocated from a count to a later one, without the last object, of `size` bytes; a count
 * that is smaller than the one before belongs to another thread, or misses a buffer. */
uint64_t hs_estimate_since(uint64_t before, uint64_t allocated, uint64_t size);

/* The chance with which to keep such a sample, of `size` bytes (above 0), so that the object is sampled as
 * often as by its size alone; derivation in doc/estimator.md, section 4. */
double hs_estimate_due(uint64_t size, uint32_t interval, const struct hs_refill *refill);

/* What a sample stands for that was kept with 2^-thinning. Thread: Any. */
struct hs_weight hs_estimate_weigh(uint64_t size, uint32_t drawn, uint32_t thinning);

/* The same bytes as a whole number, to the nearest; UINT64_MAX if they are more. Thread: Any. */
uint64_t hs_estimate_bytes(uint64_t size, uint32_t drawn, uint32_t thinning);

#endif
