// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.internal.shared.OpenChains;
import io.heapsampler.internal.shared.OpenChains.Chain;

/** Chains of the assertions of this package. */
final class Chains {

    private Chains() {}

    /** Begins one; if it belongs to a test and asserts nothing, that test fails. */
    static Chain begin() {
        return OpenChains.begin("an assertion, such as allocatesAtMost");
    }
}
