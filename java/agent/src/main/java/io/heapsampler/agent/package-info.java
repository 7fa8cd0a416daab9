// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** The agent: sampling without touching the application. */
@NullMarked
package io.heapsampler.agent;

import org.jspecify.annotations.NullMarked;
