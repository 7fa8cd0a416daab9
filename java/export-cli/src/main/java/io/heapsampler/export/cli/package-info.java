// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** The command line over saved snapshots. */
@NullMarked
package io.heapsampler.export.cli;

import org.jspecify.annotations.NullMarked;
