// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** As a module beside AssertJ's, with what soft assertions need to be generated there. */
class ModulePathTest {

    private static final List<String> JARS =
            List.of("assertj-core", "byte-buddy", "heapsampler-core", "jspecify", "/classes");

    /**
     * AssertJ's module keeps a package to itself that what it generates for soft assertions needs.
     */
    private static final String HIDDEN = "org.assertj.core.api.recursive.assertion";

    @Test
    void hardAndSoftAssertionsWorkInNamedModules() throws Exception {
        ModuleLayer.Controller controller = layer();
        ModuleLayer layer = controller.layer();
        Module assertj = layer.findModule("org.assertj.core").orElseThrow();
        Module ours = layer.findModule("io.heapsampler.assertj").orElseThrow();
        ClassLoader loader = ours.getClassLoader();
        Class<?> estimateType = loader.loadClass("io.heapsampler.Estimate");
        Object ten =
                estimateType
                        .getMethod("of", double.class, double.class, double.class, long.class)
                        .invoke(null, 10, 0, 10, 1);
        Class<?> hard = loader.loadClass("io.heapsampler.assertj.HeapSamplerAssertions");
        Object hardAssert = hard.getMethod("assertThat", estimateType).invoke(null, ten);

        assertThatExceptionOfType(InvocationTargetException.class)
                .isThrownBy(() -> isAtMost(hardAssert, 9))
                .withCauseInstanceOf(AssertionError.class);

        controller.addExports(assertj, HIDDEN, ours);
        Class<?> softType = loader.loadClass("io.heapsampler.assertj.SoftHeapSamplerAssertions");
        Object softly = softType.getConstructor().newInstance();
        isAtMost(softType.getMethod("assertThat", estimateType).invoke(softly, ten), 9);

        assertThat((List<?>) softType.getMethod("assertionErrorsCollected").invoke(softly))
                .hasSize(1);
    }

    private static void isAtMost(Object estimateAssert, long limit) throws Exception {
        estimateAssert.getClass().getMethod("isAtMost", long.class).invoke(estimateAssert, limit);
    }

    private static ModuleLayer.Controller layer() {
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
        return ModuleLayer.defineModulesWithOneLoader(
                modules, List.of(boot), ClassLoader.getPlatformClassLoader());
    }
}
