// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Problems of garbage collection and their causes: {@code GcDoctor} watches a JVM, a {@code
 * Diagnosis} says what was found, what was looked for in vain, and on what evidence.
 *
 * <p>The data's way: beans, notifications and Flight Recorder ─▶ {@link
 * io.heapsampler.doctor.Timeline}; snapshots of the sampler ─▶ site metrics; both ─▶ rules ─▶
 * {@code Diagnosis} ─▶ text, JSON, HTML, HTTP, listeners.
 */
@NullMarked
package io.heapsampler.doctor;

import org.jspecify.annotations.NullMarked;
