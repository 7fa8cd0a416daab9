// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Problems of garbage collection and their causes: {@code GcDoctor} watches a JVM, a {@code
 * Diagnosis} says what was found, what was looked for in vain, and on what evidence.
 *
 * <p>The data's way: beans, notifications and Flight Recorder ─▶ {@link
 * io.heapsampler.doctor.Timeline}; snapshots of the sampler ─▶ site metrics; both ─▶ rules ─▶
 * {@code Diagnosis} ─▶ text, JSON, HTML, HTTP, listeners.
 *
 * <p>This package is the API. The work is done in rooms that are not exported, each of which knows
 * only the records of this package and the rooms before it: {@code internal.text} (how figures
 * read), {@code internal.timeline} (what is remembered), {@code internal.sites} (what the sampler
 * tells), {@code internal.rules}, {@code internal.report} (text, JSON, HTML), {@code
 * internal.watch} (what asks the JVM). {@code GcDoctor} puts them together.
 */
@NullMarked
package io.heapsampler.doctor;

import org.jspecify.annotations.NullMarked;
