// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * What the sampler tells of sites, over collections of the old generation, and when it is asked.
 */
@NullMarked
package io.heapsampler.doctor.internal.sites;

import org.jspecify.annotations.NullMarked;
