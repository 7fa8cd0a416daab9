// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files beside the pom, and made-up ones. */
class MoreRowsTest {

    private static final String LINE =
            "name\tleak\tmore.Name\t-\t75\t-Xmx1g -Xmn24m\tleak.growth\tfalse\tpause.long"
                    + "\tprograms\\.more\\.Name\t17-g1 25-zgc";

    @TempDir private Path directory;

    private Path file(String... lines) throws IOException {
        return Files.write(directory.resolve("rows.tsv"), List.of(lines));
    }

    @Test
    void aLineIsARow() throws IOException {
        assertThat(MoreRows.read(file("# a comment", "name\tkind", "other" + LINE)))
                .singleElement()
                .satisfies(
                        row -> {
                            assertThat(row.name()).isEqualTo("othername");
                            assertThat(row.kind()).isEqualTo(Kind.LEAK);
                            assertThat(row.args()).isEmpty();
                            assertThat(row.seconds()).isEqualTo(75);
                            assertThat(row.flags()).containsExactly("-Xmx1g", "-Xmn24m");
                            assertThat(row.site()).isEqualTo("programs\\.more\\.Name");
                            assertThat(row.cells()).containsExactly("17-g1", "25-zgc");
                        });
    }

    @Test
    void aLineWithAColumnTooFewIsRefused() throws IOException {
        Path rows = file("other" + LINE.substring(0, LINE.lastIndexOf('\t')));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MoreRows.read(rows))
                .withMessageContaining("columns expected");
    }

    @Test
    void theRowsOfBothFilesAreInTheTable() {
        assertThat(Table.rows())
                .extracting(Row::main)
                .contains("more.MdcStack", "third.UrlBreakers");
    }

    @Test
    void eachClassOfThePackageHasARow() throws IOException {
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/programs/third"))) {
            assertThat(MoreRows.read(Path.of("third.tsv")))
                    .extracting(Row::main)
                    .containsAll(
                            sources.map(MoreRowsTest::simpleName).map("third."::concat).toList());
        }
    }

    private static String simpleName(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }

    @Test
    void eachNameOfACellIsUnique() {
        assertThat(Table.rows().stream().flatMap(row -> Cell.of(row).stream()).map(Cell::name))
                .doesNotHaveDuplicates();
    }

    /** Does not initialize it: some begin threads. */
    private static Class<?> classOf(Row row) throws ClassNotFoundException {
        return Class.forName("programs." + row.main(), false, MoreRowsTest.class.getClassLoader());
    }

    @Test
    void eachRowHasAClassASitePatternAndAKnownCollector() {
        assertThat(MoreRows.rows())
                .allSatisfy(
                        row -> {
                            assertThat(classOf(row)).isNotNull();
                            assertThat(Pattern.compile(row.site())).isNotNull();
                            assertThat(row.expected().isEmpty())
                                    .isEqualTo(row.kind() == Kind.HEALTHY);
                            assertThat(Cell.of(row))
                                    .isNotEmpty()
                                    .allSatisfy(
                                            cell -> assertThat(cell.collectorFlags()).isNotEmpty());
                        });
    }
}
