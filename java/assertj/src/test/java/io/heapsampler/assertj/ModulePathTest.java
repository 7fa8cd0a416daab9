// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** As a module beside AssertJ's: what soft assertions generate must be allowed in. */
class ModulePathTest {

    private static final List<String> JARS =
            List.of("assertj-core", "byte-buddy", "heapsampler-core", "jspecify", "/classes");

    @Test
    void hardAndSoftAssertionsWorkInNamedModules() throws Exception {
        Path[] path =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> JARS.stream().anyMatch(entry::contains))
                        .filter(entry -> !entry.contains("tests"))
                        .map(Path::of)
                        .toArray(Path[]::new);
        ModuleLayer boot = ModuleLayer.boot();
        Configuration modules =
                boot.configuration()
                        .resolve(
                                ModuleFinder.of(path),
                                ModuleFinder.of(),
                                Set.of("io.heapsampler.assertj", "net.bytebuddy"));
        ClassLoader loader =
                boot.defineModulesWithOneLoader(modules, ClassLoader.getPlatformClassLoader())
                        .findLoader("io.heapsampler.assertj");
        Class<?> estimateType = loader.loadClass("io.heapsampler.Estimate");
        Object ten =
                estimateType
                        .getMethod("of", double.class, double.class, double.class, long.class)
                        .invoke(null, 10, 0, 0, 1);
        Class<?> softType =
                loader.loadClass("io.heapsampler.assertj.SoftHeapSamplerAssertions");
        Object softly = softType.getConstructor().newInstance();

        Object estimateAssert =
                softType.getMethod("assertThat", estimateType).invoke(softly, ten);
        estimateAssert.getClass().getMethod("isAtMost", long.class).invoke(estimateAssert, 9);

        assertThat(softType.getModule().isNamed()).isTrue();
        assertThat((List<?>) softType.getMethod("assertionErrorsCollected").invoke(softly))
                .hasSize(1);
    }
}
