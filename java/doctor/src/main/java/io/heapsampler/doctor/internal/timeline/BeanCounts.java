// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * Collections that the bean of a collector counted without a notification.
 *
 * @param bean the name of the bean, as the JVM gives it
 * @param earlier collections before the watching began
 * @param earlierMillis their total duration, in milliseconds
 * @param missed later collections without a notification, such as those for which the JVM had no
 *     memory; may include one that has just ended
 */
public record BeanCounts(String bean, long earlier, double earlierMillis, long missed) {}
