// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library in the jar: extracted to a private folder, loaded, and gone. */
class ExtractionTest {

    private static final String REMEDY =
            "Name a folder that can be written and from which programs may run with"
                + " -Dheapsampler.tmpdir=<folder>, or unpack the library from the jar and name it"
                + " with -Dheapsampler.library.path=<file>.";

    @TempDir Path folder;

    private Path target;

    @BeforeEach
    void makeTarget() throws IOException {
        target = Files.createDirectory(folder.resolve("target"));
    }

    private ForkedJvm jvm(Path tmpdir) {
        return new ForkedJvm(folder).property("heapsampler.tmpdir", tmpdir);
    }

    @Test
    void nothingIsLeft() throws IOException {
        Outcome outcome = jvm(target).probe("sample", "left").assertSampled();
        assertThat(outcome.value("origin")).isEqualTo("the jar, " + Core.libraryEntry());
        assertThat(outcome.value("version")).isEqualTo(Core.version());
        assertThat(outcome.value("left")).isEqualTo("[]");
        assertThat(list(target)).isEmpty();
    }

    @Test
    void temporaryFolderOfTheJvmIsTheDefault() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .property("heapsampler.keepLibrary", true)
                        .probe("sample", "left")
                        .assertSampled();
        assertThat(outcome.value("left")).contains(folder + "/heapsampler-");
    }

    @Test
    void libraryIsKeptOnRequestAndIsOnlyForItsOwner() throws IOException {
        jvm(target)
                .property("heapsampler.keepLibrary", true)
                .through(List.of("sh", "-c", "umask 0; exec \"$@\"", "sh"))
                .probe("sample")
                .assertSampled();
        assertThat(list(target)).hasSize(1);
        Path kept = list(target).get(0);
        assertThat(kept.getFileName().toString()).startsWith("heapsampler-");
        assertOwnerOnly(kept);
        assertThat(list(kept)).containsExactly(kept.resolve(Core.libraryName()));
        assertOwnerOnly(kept.resolve(Core.libraryName()));
        assertThat(kept.resolve(Core.libraryName())).hasBinaryContent(Core.library());
    }

    @Test
    void eachJvmHasAFolderOfItsOwn() throws IOException {
        for (int i = 0; i < 2; i++) {
            jvm(target).property("heapsampler.keepLibrary", true).probe("sample").assertSampled();
        }
        assertThat(list(target)).hasSize(2);
    }

    @Test
    void missingFolder() {
        assertNoFolder(folder.resolve("missing"), "NoSuchFileException");
    }

    @Test
    void folderBelowAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        assertNoFolder(file.resolve("below"), "Not a directory");
    }

    @Test
    void folderOfAFileSystemThatTakesNoFiles() {
        assertNoFolder(Path.of("/proc"), "Exception");
    }

    private void assertNoFolder(Path tmpdir, String cause) {
        Outcome outcome = jvm(tmpdir).probe("supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .startsWith("No private folder for the library could be made in " + tmpdir + " (")
                .contains(cause)
                .endsWith("). " + REMEDY);
        assertThat(outcome.value("cause")).contains(cause);
    }

    @Test
    void readOnlyFileSystem() throws Exception {
        Outcome outcome = jvm(target).through(Mounts.readOnly(target)).probe("sample");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .startsWith("No private folder for the library could be made in " + target + " (")
                .contains("Read-only file system")
                .endsWith("). " + REMEDY);
    }

    @Test
    void noexecMount() throws Exception {
        Outcome outcome = jvm(target).through(Mounts.noexec(target)).probe("sample", "left");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .startsWith(target + "/heapsampler-")
                .contains(
                        "/"
                                + Core.libraryName()
                                + " cannot be loaded on Linux on "
                                + System.getProperty("os.arch")
                                + ": the system does not let programs run from there (mounted"
                                + " noexec, or denied by a security policy) (")
                .endsWith("). " + REMEDY);
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    @Test
    void otherFolderHelpsAgainstNoexec() throws Exception {
        Path usual = Files.createDirectory(folder.resolve("tmp"));
        jvm(target)
                .property("java.io.tmpdir", usual)
                .through(Mounts.noexec(usual))
                .probe("sample")
                .assertSampled();
    }

    @Test
    void fullFileSystem() throws Exception {
        Outcome outcome = jvm(target).through(Mounts.full(target)).probe("sample", "left");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .startsWith("The library could not be written to " + target + "/heapsampler-")
                .contains("No space left on device")
                .endsWith("). " + REMEDY);
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static void assertOwnerOnly(Path path) throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .as("permissions of %s", path)
                .startsWith("rw")
                .endsWith("------");
    }
}
