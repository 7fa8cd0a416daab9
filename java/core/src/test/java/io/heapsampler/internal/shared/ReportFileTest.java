// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report that could not be written is refused when sampling starts, not when memory is out. */
class ReportFileTest {

    @TempDir Path folder;

    private static void assertRefused(Path file, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReportFile.check("reportOnOom", file))
                .withMessage(
                        "reportOnOom names "
                                + file
                                + ", where no report can be written: "
                                + why
                                + ". Name a file of this user's own, in a folder that others cannot"
                                + " write to.");
    }

    @Test
    void aFileThatIsNotThereAndOneThatIsAreTaken() throws Exception {
        Path file = folder.resolve("oom.txt");
        assertThat(ReportFile.check("reportOnOom", file)).isEqualTo(file);
        Files.writeString(file, "of the last time");
        assertThat(ReportFile.check("reportOnOom", file)).isEqualTo(file);
    }

    @Test
    void aFolderThatIsNotThereIsRefused() throws Exception {
        Path plain = Files.createFile(folder.resolve("plain"));
        for (Path file : new Path[] {folder.resolve("no/oom.txt"), plain.resolve("oom.txt")}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ReportFile.check("reportOnOom", file))
                    .withMessage(
                            "reportOnOom names "
                                    + file
                                    + ", whose folder does not exist. Make it first, since nothing"
                                    + " can be made when memory has run out.");
        }
    }

    /** The classes of the JDK are read-only, even for root. */
    @Test
    void whatMayNotBeWrittenIsRefused() {
        Path base = Path.of(URI.create("jrt:/java.base"));
        assertRefused(base.resolve("oom.txt"), "this process may not write to its folder");
        assertRefused(base.resolve("module-info.class"), "this process may not write it");
    }

    @Test
    void whatIsReplacedNeedsAWritableFolder() {
        Path there = Path.of(URI.create("jrt:/java.base/module-info.class"));
        ReportFile.checkReplaceable("reportNearLimit", folder.resolve("near.txt"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReportFile.checkReplaceable("reportNearLimit", there))
                .withMessageStartingWith("reportNearLimit names " + there + ", where no report");
    }

    @Test
    void whatIsNoFileOfItsOwnIsRefused() throws Exception {
        Path plain = Files.createFile(folder.resolve("plain"));
        Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), plain);
        assertRefused(symbolic, "it is a symbolic link");
        assertRefused(folder, "it is no regular file");
        Path hard = Files.createLink(folder.resolve("hard"), plain);
        assertRefused(hard, "it has another name, too (a hard link)");
    }

    @Test
    void anotherUsersFileIsRefused() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "files can be given away");
        Path given = Files.createFile(folder.resolve("given"));
        Files.setAttribute(given, "unix:uid", 54321);
        assertRefused(given, "it belongs to another user");
    }

    /** An agent can name it, though no Path can be made of it under LC_ALL=C. */
    @Test
    void aNameThatTheLocaleCannotSpellIsShownInHexadecimal() {
        byte[] name = "/tmp/\u00f6.txt".getBytes(StandardCharsets.UTF_8);
        assertThat(ReportFile.text(name, StandardCharsets.UTF_8)).isEqualTo("/tmp/\u00f6.txt");
        assertThat(ReportFile.text(name, StandardCharsets.US_ASCII))
                .isEqualTo("/tmp/\\xc3\\xb6.txt");
    }
}
