// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** The modules that an application needs. */
class ModuleTest {

    @Test
    void librariesInsideTheJarAreNotRequired() throws Exception {
        String own = ExportFormat.class.getResource("ExportFormat.class").toString();
        URI module = URI.create(own.replace("io/heapsampler/export/ExportFormat", "module-info"));
        try (InputStream in = module.toURL().openStream()) {
            assertThat(ModuleDescriptor.read(in).requires())
                    .extracting(Requires::name)
                    .containsExactlyInAnyOrder(
                            "java.base",
                            "java.logging",
                            "io.heapsampler",
                            "jdk.jfr",
                            "com.google.errorprone.annotations",
                            "org.jspecify");
        }
    }
}
