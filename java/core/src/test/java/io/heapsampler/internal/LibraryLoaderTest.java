// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryLoaderTest {

    private static final Platform LINUX = new Platform("Linux", "amd64");

    @TempDir Path folder;

    private static HeapSamplingUnavailableException failure(
            Map<String, String> properties, Platform platform) {
        LibraryLoader loader = new LibraryLoader(properties::get, platform, "0.0.0-none");
        return assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(loader::load)
                .actual();
    }

    @Test
    void anExplicitPathThatIsNoFileIsNamed() {
        HeapSamplingUnavailableException e =
                failure(
                        Map.of("heapsampler.library.path", folder.resolve("no.so").toString()),
                        LINUX);

        assertThat(e.reason()).isEqualTo(Reason.LIBRARY_NOT_LOADED);
        assertThat(e)
                .hasMessage(
                        "-Dheapsampler.library.path names "
                                + folder.resolve("no.so")
                                + ", which is not a file. Name the library itself, or leave the"
                                + " property away to use the one in the jar.");
    }

    @Test
    void anExplicitPathThatIsNoLibraryIsNamedAndNothingElseIsTried() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("text.so"),
                        "This is no library, but long enough to be inspected.".repeat(9));

        HeapSamplingUnavailableException e =
                failure(Map.of("heapsampler.library.path", file.toString()), LINUX);

        assertThat(e.reason()).isEqualTo(Reason.LIBRARY_NOT_LOADED);
        assertThat(e)
                .hasMessageContaining(
                        file + " cannot be loaded on Linux on amd64: it is no library, or damaged");
        assertThat(e.getCause()).isInstanceOf(UnsatisfiedLinkError.class);
        assertThat(e.getSuppressed()).isEmpty();
        assertThat(System.getProperty("heapsampler.bindings")).isNull();
    }

    @Test
    void aPlatformWithoutALibraryIsNamed() {
        HeapSamplingUnavailableException e = failure(Map.of(), new Platform("Plan 9", "mips"));

        assertThat(e.reason()).isEqualTo(Reason.UNSUPPORTED_PLATFORM);
        assertThat(e)
                .hasMessage(
                        "There is no HeapSampler library for Plan 9 on mips. Supported are Linux on"
                                + " x86_64 and aarch64; a library of your own can be named with"
                                + " -Dheapsampler.library.path=<file>.");
        assertThat(e.getSuppressed()).hasSize(1);
        assertThat(e.getSuppressed()[0]).hasMessageContaining("heapsampler-0.0.0-none");
    }

    @Test
    void aJarWithoutTheLibraryNamesTheResource() {
        assertThat(failure(Map.of(), LINUX))
                .hasMessageContaining(
                        "no resource /META-INF/native/linux-x86_64/libheapsampler-0.0.0-none.so");
    }

    @Test
    void anEngineOfAnotherVersionIsRefused() {
        LibraryLoader loader =
                new LibraryLoader(
                        name -> name.equals("heapsampler.engine") ? "99/2.0.0/7f00/x/lib.so" : null,
                        LINUX,
                        "1.2.3");

        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(loader::load)
                .withMessage(
                        "Another HeapSampler is in this JVM already, and there can be one engine"
                            + " only: version 2.0.0 (ABI 99) from x/lib.so, while these classes are"
                            + " version 1.2.3 (ABI 13). Use the same version for the agent and for"
                            + " each copy in the application.")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.VERSION_MISMATCH));
    }

    @Test
    void anotherVersionIsRefusedWithBothNamed() {
        LibraryLoader loader = new LibraryLoader(name -> null, LINUX, "1.2.3");

        assertThat(loader.checked("here", NativeBindings.ABI, "1.2.3").origin()).isEqualTo("here");
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> loader.checked("/x/lib.so", 7, "1.2.0"))
                .withMessage(
                        "The HeapSampler library from /x/lib.so is version 1.2.0 (ABI 7), but the"
                            + " classes are version 1.2.3 (ABI 13). Remove the stale library, or"
                            + " use the jar of the same version, and restart.")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.VERSION_MISMATCH));
    }

    @Test
    void extractsPrivatelyAndRemovesAllOfIt() throws IOException {
        LibraryExtractor extractor =
                new LibraryExtractor(Map.of("heapsampler.tmpdir", folder.toString())::get);

        extractor.extract(
                "/META-INF/heapsampler/core.properties",
                "lib.so",
                file -> {
                    assertThat(file).exists().hasFileName("lib.so").hasParent(file.getParent());
                    assertThat(permissions(file)).isEqualTo("rwx------");
                    assertThat(permissions(file.getParent())).isEqualTo("rwx------");
                });

        assertThat(folder).isEmptyDirectory();
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void keepsTheExtractedFileWhenAskedTo() throws IOException {
        Map<String, String> properties =
                Map.of("heapsampler.tmpdir", folder.toString(), "heapsampler.keepLibrary", "true");

        new LibraryExtractor(properties::get)
                .extract("/META-INF/heapsampler/core.properties", "lib.so", file -> {});

        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(1);
        }
    }

    @Test
    void extractsInAThreadThatIsInterrupted() {
        LibraryExtractor extractor =
                new LibraryExtractor(Map.of("heapsampler.tmpdir", folder.toString())::get);
        Thread.currentThread().interrupt();
        try {
            extractor.extract(
                    "/META-INF/heapsampler/core.properties",
                    "lib.so",
                    file -> assertThat(file).isNotEmptyFile());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderThatDoesNotExistIsNamedWithTheProperty() {
        Path missing = folder.resolve("missing");
        LibraryExtractor extractor =
                new LibraryExtractor(Map.of("heapsampler.tmpdir", missing.toString())::get);

        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> extractor.extract("/x", "lib.so", file -> {}))
                .withMessageContaining(
                        "No private folder for the library could be made in " + missing)
                .withMessageContaining("-Dheapsampler.tmpdir=<folder>");
    }

    @Test
    void aFailureIsThrownAgainWithItsCauses() {
        Throwable cause = new UnsatisfiedLinkError("cause");
        HeapSamplingUnavailableException first =
                new HeapSamplingUnavailableException(Reason.LIBRARY_NOT_LOADED, "text", cause);
        first.addSuppressed(new UnsatisfiedLinkError("earlier"));

        HeapSamplingUnavailableException again = LibraryState.again(first);

        assertThat(again).isNotSameAs(first).hasMessage("text").hasCause(cause);
        assertThat(again.reason()).isEqualTo(first.reason());
        assertThat(again.getSuppressed()).containsExactly(first.getSuppressed());
    }

    @Test
    void knowsItsPlatforms() {
        assertThat(new Platform("Linux", "aarch64").folder()).isEqualTo("linux-aarch64");
        assertThat(LINUX.folder()).isEqualTo("linux-x86_64");
        assertThat(new Platform("Linux", "riscv64").folder()).isNull();
        assertThat(new Platform("Mac OS X", "aarch64").folder()).isNull();
    }

    @Test
    void knowsItsVersion() {
        assertThat(NativeLibrary.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    }
}
