// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Failures in general: remembered with their causes, and said without loading where nothing can be.
 */
class FailureTest {

    @TempDir Path folder;

    @Test
    void failureIsRememberedWithItsCauses() throws Exception {
        Path library = Files.writeString(folder.resolve("library.so"), "damaged");
        Path right = Core.libraryIn(folder.resolve("right"));
        Outcome outcome =
                new ForkedJvm(folder)
                        .property("heapsampler.library.path", library)
                        .probe("sample", "heapsampler.library.path=" + right, "supported", "sample")
                        .assertExit(Probe.REFUSED);
        assertThat(outcome.all("reason"))
                .isEqualTo(List.of("LIBRARY_NOT_LOADED", "LIBRARY_NOT_LOADED"));
        assertSameTwice(outcome, "message");
        assertSameTwice(outcome, "cause");
        assertSameTwice(outcome, "cause.identity");
        assertThat(outcome.all("cause").get(0)).startsWith("java.lang.UnsatisfiedLinkError");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.all("sampled")).isEmpty();
    }

    @Test
    void earlierAttemptsAreRememberedToo() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .probe("os.name=Plan9", "sample", "sample")
                        .assertExit(Probe.REFUSED);
        assertSameTwice(outcome, "message");
        assertSameTwice(outcome, "suppressed");
        assertThat(outcome.all("suppressed").get(0)).contains("java.library.path");
    }

    @Test
    void folderThatIsThereAtTheSecondCallIsUsed() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .property("heapsampler.tmpdir", folder.resolve("missing"))
                        .probe("supported", "heapsampler.tmpdir=" + folder, "supported", "sample");
        assertThat(outcome.all("supported")).isEqualTo(List.of("false", "true"));
        outcome.assertSampled();
    }

    private static void assertSameTwice(Outcome outcome, String key) {
        assertThat(outcome.all(key)).as("%s in\n%s", key, outcome).hasSize(2);
        assertThat(outcome.all(key).get(0)).isEqualTo(outcome.all(key).get(1));
    }

    @ParameterizedTest
    @CsvSource({"Plan9, amd64", "Linux, sparcv9", "Mac OS X, aarch64"})
    void unsupportedPlatform(String os, String arch) {
        Outcome outcome =
                new ForkedJvm(folder)
                        .property("os.name", os)
                        .property("os.arch", arch)
                        .probe("supported", "sample", "left");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.UNSUPPORTED_PLATFORM))
                .isEqualTo(
                        "There is no HeapSampler library for "
                                + os
                                + " on "
                                + arch
                                + ". Supported are Linux on x86_64 and aarch64; a library of your"
                                + " own can be named with -Dheapsampler.library.path=<file>.");
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    @Test
    void jarWithoutTheLibraryOfThisPlatform() throws Exception {
        Path jar = Jars.without(folder.resolve("bare.jar"), Core.libraryEntry());
        Outcome outcome = new ForkedJvm(folder).classPath(jar, Core.testClasses()).probe("sample");
        assertThat(outcome.assertRefused(Reason.UNSUPPORTED_PLATFORM))
                .startsWith(
                        "There is no HeapSampler library for Linux on "
                                + System.getProperty("os.arch")
                                + " (no resource /"
                                + Core.libraryEntry()
                                + "). ");
    }

    @Test
    void otherVm() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .probe("java.vm.name=Eclipse OpenJ9 VM", "supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.NOT_HOTSPOT))
                .isEqualTo(
                        "Heap sampling needs HotSpot, but this VM is Eclipse OpenJ9 VM. Run the"
                                + " application on an OpenJDK build of 17 or later.");
    }
}
