// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Allocation and leak assertions as annotations of JUnit Jupiter, 5.12 and later.
 *
 * <p>References are never null unless they are marked {@code @Nullable}. Amounts are written as
 * {@code "64 KB"}: a number and B, KB, MB or GB, where 1 KB is 1,024 bytes.
 */
@NullMarked
package io.heapsampler.junit;

import org.jspecify.annotations.NullMarked;
