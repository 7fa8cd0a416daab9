// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * -Dheapsampler.library.path names the library. Whatever is wrong with it is said, and nothing else
 * is tried, although each JVM here has the right library in its jar and on java.library.path.
 */
class ExplicitPathTest {

    private static final String PROPERTY = "heapsampler.library.path";

    private static final String OWN_FILE =
            "Use a HeapSampler jar that supports this platform, or name a library built for it with"
                    + " -Dheapsampler.library.path=<file>.";

    @TempDir Path folder;

    private Path good;

    @BeforeEach
    void putRightLibraryOnPath() throws IOException {
        good = Core.libraryIn(folder.resolve("good"));
    }

    private ForkedJvm jvm(Object library) {
        return new ForkedJvm(folder)
                .property("java.library.path", good.getParent())
                .property(PROPERTY, library);
    }

    @Test
    void rightLibraryIsLoaded() {
        Outcome outcome = jvm(good).probe("supported", "sample", "left").assertSampled();
        assertThat(outcome.value("supported")).isEqualTo("true");
        assertThat(outcome.value("origin")).isEqualTo(good.toString());
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    @Test
    void pathMayBeRelative() {
        Outcome outcome = jvm("good/" + good.getFileName()).probe("sample").assertSampled();
        assertThat(outcome.value("origin")).isEqualTo(good.toString());
    }

    @Test
    void missingFile() {
        Path missing = folder.resolve("missing.so");
        assertNoFile(missing);
    }

    @Test
    void directory() {
        assertNoFile(good.getParent());
    }

    private void assertNoFile(Path path) {
        String message = jvm(path).probe("sample").assertRefused(Reason.LIBRARY_NOT_LOADED);
        assertThat(message)
                .isEqualTo(
                        "-Dheapsampler.library.path names "
                                + path
                                + ", which is not a file. Name the library itself, or leave the"
                                + " property away to use the one in the jar.");
    }

    @Test
    void textFile() throws IOException {
        assertNoLibrary("no library, but long enough to have the header of one.\n".repeat(100));
    }

    @Test
    void emptyFile() throws IOException {
        assertNoLibrary("");
    }

    private void assertNoLibrary(String content) throws IOException {
        Path file = Files.writeString(folder.resolve("text.so"), content);
        assertThat(refusalOf(file))
                .startsWith(cannotBeLoaded(file) + "it is no library, or damaged (")
                .endsWith(" Replace it by the one from the jar.");
    }

    @Test
    void otherProcessor() throws IOException {
        int x86 = 62;
        int arm = 183;
        ByteBuffer elf = ByteBuffer.wrap(Core.library()).order(ByteOrder.LITTLE_ENDIAN);
        int machine = 18;
        elf.putShort(machine, (short) (elf.getShort(machine) == x86 ? arm : x86));
        assertOtherProcessor(elf.array());
    }

    @Test
    void otherWordSize() throws IOException {
        byte[] elf = Core.library();
        int elfClass = 4;
        elf[elfClass] = 1;
        assertOtherProcessor(elf);
    }

    private void assertOtherProcessor(byte[] elf) throws IOException {
        Path file = Files.write(folder.resolve("other.so"), elf);
        assertThat(refusalOf(file))
                .startsWith(
                        cannotBeLoaded(file)
                                + "it is built for another processor than this JVM ("
                                + file)
                .endsWith("). " + OWN_FILE);
    }

    @Test
    void symbolThatTheCLibraryLacks() throws Exception {
        String source =
                """
                extern int absent_from_every_libc(void);
                int JNI_OnLoad(void *vm, void *reserved) { return absent_from_every_libc(); }
                """;
        Path file = Gcc.compile(folder, source, "-Wl,-z,now");
        assertThat(refusalOf(file))
                .startsWith(
                        cannotBeLoaded(file)
                                + "the C library of this system lacks what it needs ("
                                + file)
                .contains("absent_from_every_libc")
                .endsWith("). " + OWN_FILE);
    }

    @Test
    void librarySomeoneElseMade() throws Exception {
        Path file = Gcc.compile(folder, "int something_else(void) { return 1; }");
        assertThat(refusalOf(file))
                .isEqualTo(
                        "The library from "
                                + file
                                + " was loaded, but it is not HeapSampler's or it is bound to other"
                                + " classes. Check -Dheapsampler.library.path and"
                                + " java.library.path; see README, \"Loading\".");
    }

    @Test
    void libraryThatRefusesTheJvm() throws Exception {
        Path file = Gcc.compile(folder, "int JNI_OnLoad(void *vm, void *reserved) { return -1; }");
        assertThat(refusalOf(file))
                .startsWith(cannotBeLoaded(file) + "it refused this JVM when it was loaded (")
                .endsWith(
                        " Use HotSpot 17 or later, and a library of the same version as the jar.");
    }

    @Test
    void fileOnNoexecMount() throws Exception {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        Path file = mount.resolve("library.so");
        String copy = "cp \"$0\" \"$1\" && shift && exec \"$@\"";
        Outcome outcome =
                jvm(file)
                        .through(Mounts.noexec(mount))
                        .through(List.of("sh", "-c", copy, good.toString(), file.toString()))
                        .probe("sample");
        assertThat(outcome.assertRefused(Reason.LIBRARY_NOT_LOADED))
                .startsWith(
                        cannotBeLoaded(file)
                                + "the system does not let programs run from there (mounted noexec,"
                                + " or denied by a security policy) (")
                .contains("-Dheapsampler.tmpdir=<folder>")
                .endsWith("-Dheapsampler.library.path=<file>.");
    }

    private String refusalOf(Path file) {
        Outcome outcome = jvm(file).probe("supported", "sample");
        assertThat(outcome.value("supported")).isEqualTo("false");
        return outcome.assertRefused(Reason.LIBRARY_NOT_LOADED);
    }

    private static String cannotBeLoaded(Path file) {
        return file + " cannot be loaded on Linux on " + System.getProperty("os.arch") + ": ";
    }
}
