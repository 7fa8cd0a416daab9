// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** What several test modules need. Never published. */
@NullMarked
package io.heapsampler.support;

import org.jspecify.annotations.NullMarked;
