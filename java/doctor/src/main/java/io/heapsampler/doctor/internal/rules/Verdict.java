// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Finding;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of a rule: either a finding, or the reason why there is none.
 *
 * @param causes the ids of findings that would explain this one, and {@link Relations#LOAD}
 * @param similar the ids of rules with the same symptoms, which have to be ruled out
 */
record Verdict(
        @Nullable Finding finding,
        @Nullable Check check,
        Set<String> causes,
        Set<String> similar) {}
