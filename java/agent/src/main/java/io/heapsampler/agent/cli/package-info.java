// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** The command line: {@code java -jar heapsampler.jar}. */
@NullMarked
package io.heapsampler.agent.cli;

import org.jspecify.annotations.NullMarked;
