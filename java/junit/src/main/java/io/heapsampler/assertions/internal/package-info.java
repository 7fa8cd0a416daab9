// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * How assertions measure, decide and report. Not exported.
 *
 * <p>Six files show how a test with {@code @NoAllocation} gets its verdict, in this order:
 *
 * <ol>
 *   <li>{@code io.heapsampler.junit.MeasuringExtension} is called by JUnit in place of the test
 *       method. It collects the rules, has them checked, reports the verdicts and throws the
 *       failures.
 *   <li>{@code io.heapsampler.junit.Annotations} reads the annotations of the test and its classes;
 *       its {@code Limits} make the rules.
 *   <li>{@link io.heapsampler.assertions.internal.AllocationRule} is the rule for allocated bytes.
 *       It selects how to measure, compares the figure with the limit and writes the message.
 *   <li>{@link io.heapsampler.assertions.internal.Trials} runs the test once or more. All rules
 *       observe the same runs.
 *   <li>{@link io.heapsampler.assertions.internal.FigureTrial} keeps the lowest figure of the
 *       judged runs and decides whether a further run is needed.
 *   <li>{@link io.heapsampler.assertions.internal.CountedMeasure} reads the JVM's count before and
 *       after the run, and subtracts the bytes of the harness and of the JVM itself.
 * </ol>
 *
 * <p>They use {@link io.heapsampler.assertions.internal.Subject} (the code), {@link
 * io.heapsampler.assertions.internal.Measured} (a figure with its bounds), {@link
 * io.heapsampler.assertions.internal.Evidence} (a recording of the run) and {@link
 * io.heapsampler.assertions.internal.FailureText} (a message).
 */
@NullMarked
package io.heapsampler.assertions.internal;

import org.jspecify.annotations.NullMarked;
