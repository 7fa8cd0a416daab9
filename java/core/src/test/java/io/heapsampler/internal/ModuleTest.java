// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import java.lang.module.ModuleDescriptor.Exports;
import org.junit.jupiter.api.Test;

/** What the module offers to all others. */
class ModuleTest {

    @Test
    void onlyTheFacadeIsExportedToAll() {
        assertThat(HeapSampler.class.getModule().getDescriptor().exports())
                .filteredOn(exports -> !exports.isQualified())
                .extracting(Exports::source)
                .containsExactly("io.heapsampler");
    }
}
