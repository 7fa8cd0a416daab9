// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every format. */
class ExporterTest {

    @TempDir private Path folder;

    /** Notes whether it is flushed and closed. */
    private static final class Watched extends ByteArrayOutputStream {
        private boolean isFlushed;
        private boolean isClosed;

        @Override
        public void flush() {
            isFlushed = true;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    @ParameterizedTest
    @EnumSource
    void flushesAndDoesNotClose(ExportFormat format) throws IOException {
        Watched out = new Watched();

        Heaps.small().writeTo(out, format);

        assertThat(out.size()).isPositive();
        assertThat(out.isFlushed).isTrue();
        assertThat(out.isClosed).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void equalSnapshotsGiveEqualBytes(ExportFormat format) {
        ExportOptions options = ExportOptions.builder().samples(true).build();

        byte[] first = Heaps.export(format, Heaps.large(100), options);

        assertThat(Heaps.export(format, Heaps.large(100), options)).isEqualTo(first);
    }

    /** An empty snapshot, odd names, and what the library really wrote. */
    @ParameterizedTest
    @EnumSource
    void writesWhateverASnapshotHolds(ExportFormat format) throws IOException {
        for (HeapSnapshot snapshot :
                new HeapSnapshot[] {
                    Heaps.empty(), Heaps.hostile(), Heaps.golden("wide-25-zgc.block")
                }) {
            snapshot.writeTo(OutputStream.nullOutputStream(), format);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesOutNamesOfThreads(ExportFormat format) {
        ExportOptions options =
                ExportOptions.builder().threadNames(name -> "").samples(true).build();

        if (format == ExportFormat.HSNAP) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> format.with(options))
                    .withMessage(
                            "HSNAP always contains the names of threads, so threadNames cannot"
                                    + " replace them. Choose another format.");
        } else {
            byte[] bytes = Heaps.export(format, Heaps.small(), options);
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain("pool-1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void reportsAFailingStream(ExportFormat format) {
        OutputStream full =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("no room");
                    }
                };

        assertThatIOException()
                .isThrownBy(() -> Heaps.small().writeTo(full, format))
                .withMessageContaining("no room");
    }

    @ParameterizedTest
    @EnumSource
    void writesFilesAndFindsTheFormatByName(ExportFormat format) throws IOException {
        Path file = folder.resolve("Heap" + format.suffix());

        Heaps.small().writeTo(file, format);

        assertThat(Files.readAllBytes(file))
                .isEqualTo(Heaps.export(format, Heaps.small(), ExportOptions.defaults()));
        assertThat(ExportFormat.ofFileName(file.toString())).contains(format);
        assertThat(ExportFormat.ofFileName("heap.txt")).isEmpty();
        assertThat(format.mediaType()).contains("/");
    }

    @Test
    void sitesBeyondTheLimitAreSummedUp() {
        ExportOptions two = ExportOptions.builder().maxSites(2).build();

        String[] lines = Heaps.text(ExportFormat.COLLAPSED, Heaps.small(), two).split("\n");

        assertThat(lines).hasSize(2);
        assertThat(lines[0]).endsWith("byte[] 2000");
        assertThat(lines[1]).isEqualTo("(other) 88");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExportOptions.builder().maxSites(0))
                .withMessage("maxSites must be 1 or more: 0");
    }

    @ParameterizedTest
    @EnumSource
    void refusesAComparisonThatTheFormatCannotShow(ExportFormat format) {
        ExportOptions compared = ExportOptions.builder().comparedWith(Heaps.empty()).build();
        ExportOptions since = ExportOptions.builder().allocatedSince(Heaps.empty()).build();

        if (format == ExportFormat.HTML || format == ExportFormat.PPROF) {
            assertThat(format.with(compared).suffix()).isEqualTo(format.suffix());
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> format.with(compared))
                    .withMessage(
                            format
                                    + " cannot show a comparison (comparedWith). HTML and PPROF"
                                    + " can.");
        }
        if (format == ExportFormat.PPROF) {
            assertThat(format.with(since).mediaType()).isEqualTo(format.mediaType());
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> format.with(since))
                    .withMessage(
                            format
                                    + " cannot show a part of the allocations (allocatedSince)."
                                    + " PPROF can.");
        }
    }

    @Test
    void refusesTwoEarlierSnapshots() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                ExportOptions.builder()
                                        .comparedWith(Heaps.empty())
                                        .allocatedSince(Heaps.empty())
                                        .build())
                .withMessage("comparedWith and allocatedSince are both set. Set one of them.");
    }

    @ParameterizedTest
    @EnumSource
    void onlyReportsHaveAPolicy(ExportFormat format) {
        assertThat(format.contentSecurityPolicy().isPresent())
                .isEqualTo(format == ExportFormat.HTML);
    }
}
