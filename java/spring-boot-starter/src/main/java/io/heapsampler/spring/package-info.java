// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Samples the heap of a Spring Boot application. The starter configures itself; an application uses
 * no class of this package.
 */
@NullMarked
package io.heapsampler.spring;

import org.jspecify.annotations.NullMarked;
