// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/**
 * A rule that was asked and did not fire.
 *
 * @param id the id of the finding that it would have made
 * @param why the figure that was not reached, in a sentence; or why it cannot be told here
 * @param observable false if this JVM and collector cannot show it at all
 */
public record Check(String id, String why, boolean observable) {}
