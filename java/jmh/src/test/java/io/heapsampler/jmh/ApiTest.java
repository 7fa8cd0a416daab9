// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.api.ApiText;
import org.junit.jupiter.api.Test;

class ApiTest {

    @Test
    void apiIsAsCommitted() throws Exception {
        ApiText.check();
    }
}
