// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/**
 * What the bean of a collector counted and no notification told.
 *
 * @param bean the name of the bean, as the JVM gives it
 * @param earlier collections before the watching began
 * @param earlierMillis how long they took, in milliseconds
 * @param missed collections since then of which nothing was heard, such as those of which the JVM
 *     could not tell when memory had run out; one that has just ended may be among them
 */
public record BeanCounts(String bean, long earlier, double earlierMillis, long missed) {}
