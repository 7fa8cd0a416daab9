// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Finding;
import org.jspecify.annotations.Nullable;

/** The result of a rule: either a finding, or the reason why there is none. */
record Verdict(@Nullable Finding finding, @Nullable Check check) {}
