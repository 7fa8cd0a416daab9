// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** java.library.path is searched before the jar, for the library with the version in its name. */
class LibraryPathTest {

    @TempDir Path folder;

    /** Nothing can be extracted in this JVM: what is loaded was found. */
    private ForkedJvm jvm(Path libraries) {
        return new ForkedJvm(folder)
                .property("java.library.path", libraries)
                .property("heapsampler.tmpdir", folder.resolve("missing"));
    }

    @Test
    void versionedNameIsFound() throws IOException {
        Path library = Core.libraryIn(folder.resolve("libraries"));
        Outcome outcome = jvm(library.getParent()).probe("sample").assertSampled();
        assertThat(outcome.value("origin")).isEqualTo("java.library.path, " + Core.libraryName());
        assertThat(outcome.value("version")).isEqualTo(Core.version());
    }

    @Test
    void otherVersionsAreNotLookedFor() throws IOException {
        Path library = Core.libraryIn(folder.resolve("libraries"));
        Files.copy(library, library.resolveSibling("libheapsampler.so"));
        Files.move(library, library.resolveSibling("libheapsampler-9.9.9.so"));
        Outcome outcome = jvm(library.getParent()).probe("sample");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .contains(folder.resolve("missing").toString());
    }

    @Test
    void damagedLibraryIsAmongTheSuppressedWhenTheJarFailsToo() throws IOException {
        Path libraries = Files.createDirectory(folder.resolve("libraries"));
        Path damaged = Files.writeString(libraries.resolve(Core.libraryName()), "damaged");
        Outcome outcome = jvm(libraries).probe("sample");
        outcome.assertRefused(Reason.LIBRARY_NOT_LOADED);
        assertThat(outcome.value("cause")).contains("NoSuchFileException");
        assertThat(outcome.value("suppressed"))
                .startsWith("java.lang.UnsatisfiedLinkError: ")
                .contains(damaged.toString());
    }

    @Test
    void damagedLibraryDoesNotHideTheOneInTheJar() throws IOException {
        Path libraries = Files.createDirectory(folder.resolve("libraries"));
        Files.writeString(libraries.resolve(Core.libraryName()), "damaged");
        Outcome outcome =
                new ForkedJvm(folder)
                        .property("java.library.path", libraries)
                        .probe("sample")
                        .assertSampled();
        assertThat(outcome.value("origin")).isEqualTo("the jar, " + Core.libraryEntry());
    }
}
