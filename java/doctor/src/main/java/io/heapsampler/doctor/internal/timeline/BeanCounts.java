// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * Collections that the bean of a collector counted without a notification.
 *
 * @param earlier collections before the watching began, with their total duration
 * @param missed later ones, such as those for which the JVM had no memory; may include one that has
 *     just ended
 */
public record BeanCounts(String bean, long earlier, double earlierMillis, long missed) {}
