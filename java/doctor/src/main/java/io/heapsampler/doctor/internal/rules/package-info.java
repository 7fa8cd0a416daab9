// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * The rules: each looks at a situation and finds its problem, or says why not; what findings have
 * to do with each other. {@code Rules} lists them, and {@code findings.txt} has their sentences.
 */
@NullMarked
package io.heapsampler.doctor.internal.rules;

import org.jspecify.annotations.NullMarked;
