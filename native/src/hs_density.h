/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Density: how many samples the VM took just before some samples, and for how many bytes.
 *
 * Go back from a sample to the one before it in its thread. When all is well, that one comes after a
 * distance of one interval in the mean, for any allocations there. So over the samples of a site the
 * number of those found is about the number of intervals that were passed to find them. More are found
 * where the VM samples this site, or what the same threads allocate before it, too often;
 * doc/estimator.md, section 9. */
#ifndef HS_DENSITY_H
#define HS_DENSITY_H

#include <stdint.h>

/* One interval. */
#define HS_DENSITY_UNIT 65536

struct hs_density {
    uint64_t samples; /* found */
    uint64_t length;  /* passed, in intervals times HS_DENSITY_UNIT; 0: not known */
};

#endif
