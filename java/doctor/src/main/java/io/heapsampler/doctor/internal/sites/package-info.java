// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** The figures of sites over collections of the old generation, and when snapshots are taken. */
@NullMarked
package io.heapsampler.doctor.internal.sites;

import org.jspecify.annotations.NullMarked;
