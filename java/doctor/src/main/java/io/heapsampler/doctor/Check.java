// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;

/**
 * A rule that was evaluated and did not fire.
 *
 * @param id the id of the finding that it would have made
 * @param why a sentence with the figure that was not reached, or with the reason why the rule
 *     cannot be evaluated here
 * @param observable false if this JVM and collector cannot show the problem at all
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record Check(String id, String why, boolean observable) {}
