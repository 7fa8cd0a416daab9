// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Garbage collection problems and their causes. {@code GcDoctor} watches a JVM. A {@code Diagnosis}
 * contains the findings, the rules that did not fire, and the evidence.
 *
 * <p>The flow of data: beans, notifications and the JVM's log ─▶ the history of the JVM; snapshots
 * of the sampler ─▶ figures of sites; both ─▶ rules ─▶ {@code Diagnosis} ─▶ text, JSON, listeners.
 * The report page of heapsampler-export draws the JSON.
 *
 * <p>Only the public types are the API. Of the others {@code JvmWatch} is the one to begin with: it
 * owns the readers ({@code TickReader}, {@code CollectorListener}, {@code LogWatch}, {@code
 * SiteWatch}), what they fill ({@code History}, {@code SiteBook}), and the judge, {@code Rules}.
 * The rules are functions of a {@code Situation}, with their sentences in {@code findings.txt}.
 * {@code names.txt} has the names of causes and classes that they search for.
 */
@NullMarked
package io.heapsampler.doctor;

import org.jspecify.annotations.NullMarked;
