// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * From the paths in a block to the tree of holders: decoding, folding of known classes, merging.
 * Not exported; nothing here is kept compatible.
 */
@NullMarked
package io.heapsampler.internal.holders;

import org.jspecify.annotations.NullMarked;
