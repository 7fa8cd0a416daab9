// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Garbage collection problems and their causes. {@code GcDoctor} watches a JVM. A {@code Diagnosis}
 * contains the findings, the rules that did not fire, and the evidence.
 *
 * <p>The flow of data: beans, notifications and the JVM's log ─▶ {@link
 * io.heapsampler.doctor.internal.timeline.Timeline}; snapshots of the sampler ─▶ site metrics; both
 * ─▶ rules ─▶ {@code Diagnosis} ─▶ text, JSON, listeners. The report page of heapsampler-export
 * draws the JSON.
 *
 * <p>This package is the API. The implementation is in packages that are not exported. Each of them
 * depends only on the records of this package and on the packages before it: {@code internal.text}
 * (formats of figures), {@code internal.timeline} (the history of the JVM), {@code internal.sites}
 * (the figures of sites), {@code internal.rules}, {@code internal.report} (text and JSON), and
 * {@code internal.watch} (reads the JVM). {@code GcDoctor} combines them.
 */
@NullMarked
package io.heapsampler.doctor;

import org.jspecify.annotations.NullMarked;
