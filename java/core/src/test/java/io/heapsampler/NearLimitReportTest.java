// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.holders.HeldBlockWriter;
import io.heapsampler.internal.limit.MemoryUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a report near a limit says, and what it leaves when it cannot be finished. */
class NearLimitReportTest {

    private static final MemoryUse HEAP = MemoryUse.of("the heap", 950L << 20, 1L << 30);
    private static final MemoryUse GROUP = MemoryUse.of("the container", 1L << 30, 2L << 30);

    @TempDir Path folder;

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);
    private final HeldShot shot = new HeldShot();
    private final List<String> log = new ArrayList<>();
    private long[] limits;

    /** What is in the file while holders are searched. */
    private String meanwhile;

    private int tracked;

    @BeforeEach
    void sample() {
        shot.live(shot.site("byte[]", "fill", 12), 30).live(shot.site("a.Order", "order", 20), 5);
        engine.block = shot.block();
        engine.holders =
                (samples, max) -> {
                    limits = max;
                    meanwhile = text();
                    return heldBy(samples);
                };
    }

    private static byte[] heldBy(int... samples) {
        HeldBlockWriter writer = new HeldBlockWriter();
        IntStream.of(samples).forEach(each -> writer.path(each, "static com.acme.Shop.open -> X"));
        return writer.write();
    }

    private Path file() {
        return folder.resolve("near.txt");
    }

    private String text() {
        try {
            return Files.readString(file());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void write(MemoryUse passed, MemoryUse heap, MemoryUse group) throws IOException {
        sampler.start(null);
        try {
            report().write(passed, heap, group);
        } finally {
            sampler.stop();
        }
    }

    private NearLimitReport report() {
        return new NearLimitReport(
                new NearLimit(0.9, file()), () -> tracked, sampler::snapshot, log::add);
    }

    private void assertNothingElseStays() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).allMatch(file()::equals);
        }
    }

    @Test
    void theSitesComeFirstAndThenWithTheirHolders() throws IOException {
        write(HEAP, HEAP, GROUP);
        String sites =
                "HeapSampler: memory is near its limit at"
                    + " \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ, in process \\d+\\.\n"
                    + "Passed 90\\.0 %: the heap uses 92\\.8 % of its limit, 950 MiB of 1 GiB after"
                    + " a collection\\.\n"
                    + "Beside it: the container uses 50\\.0 % of its limit, 1 GiB of 2 GiB\\.\n"
                    + "The JVM has committed [0-9.]+ [MG]iB for the heap and [0-9.]+ MiB for"
                    + " classes and code\\. Direct buffers take [0-9.]+ [KM]?i?B\\.\n"
                    + "Estimated live memory: 34\\.2 KiB, from 35 samples\\. Sites that hold"
                    + " most:\n"
                    + "\n"
                    + "    29\\.3 KiB of byte\\[]\n"
                    + "        at com\\.acme\\.Shop\\.fill\\(.*12\\)\n"
                    + "\n"
                    + "    4\\.9 KiB of a\\.Order\n"
                    + "        at com\\.acme\\.Shop\\.order\\(.*20\\)\n\n";
        assertThat(meanwhile)
                .matches(
                        sites
                                + "Held by: the search has begun\\. If this line stays, the process"
                                + " ended before it was over, or the answer could not be"
                                + " written\\.\n");
        assertThat(text())
                .matches("(?s)" + sites + "Held by, of the 5 largest sites at most: 34\\.2 KiB .*")
                .contains("100 %, 34.2 KiB: static field com.acme.Shop.open\n");
        assertThat(log)
                .containsExactly(
                        "Memory is near its limit: the heap uses 92.8 % of its limit, 950 MiB of"
                                + " 1 GiB after a collection. The sites that hold most live memory"
                                + " are in "
                                + file()
                                + ", and soon what holds them.");
        assertNothingElseStays();
    }

    /** The search shares the memory that is short. */
    @Test
    void theSearchLeavesTheContainerHalfOfItsRoom() throws IOException {
        write(GROUP, HEAP, MemoryUse.of("the container", 80L << 20, 100L << 20));
        assertThat(limits[0]).isEqualTo(100_000);
        assertThat(limits[2]).isBetween(7L << 20, 8L << 20);
        assertThat(limits[1]).isBetween(1L, 20_000_000L);
        write(HEAP, HEAP, null);
        assertThat(limits[2]).isEqualTo(256L << 20);
        assertThat(text()).contains("\nNo limit of a container was found.\n");
        write(GROUP, null, GROUP);
        assertThat(text())
                .contains(
                        "\nPassed 90.0 %: the container uses 50.0 % of its limit, 1 GiB of 2 GiB.\n"
                                + "The heap has no limit.\n");
    }

    @Test
    void aSearchThatIsRefusedLeavesTheReason() throws IOException {
        engine.holders =
                (samples, max) -> {
                    throw new IllegalStateException("no native memory");
                };
        write(HEAP, HEAP, GROUP);
        assertThat(text()).endsWith("\n\nHeld by: not known. no native memory\n");
    }

    /** As where metaspace is full. */
    @Test
    void aSearchThatCannotBeLoadedLeavesTheReason() throws IOException {
        engine.holders =
                (samples, max) -> {
                    throw new NoClassDefFoundError("io/heapsampler/HeldBy");
                };
        write(HEAP, HEAP, GROUP);
        assertThat(text())
                .endsWith(
                        "\n\nHeld by: not known. java.lang.NoClassDefFoundError:"
                                + " io/heapsampler/HeldBy.\n");
    }

    /** An OutOfMemoryError of the report's own could end the application. */
    @Test
    void aHeapThatHasNoRoomIsNotFilled() throws IOException {
        MemoryUse full = MemoryUse.of("the heap", 61L << 20, 64L << 20);
        write(full, full, null);
        assertThat(text())
                .endsWith(
                        "\nHeld by: not known. It may take 4 MiB of the heap, which has only 3 MiB"
                                + " left. A lower share leaves more.\n");
        assertThat(report().whyNot(full)).isNull();
        assertThat(report().whyNot(null)).isNull();
        tracked = 20_000;
        assertThat(report().whyNot(full))
                .isEqualTo(
                        "It may take 6.6 MiB of the heap, which has only 3 MiB left. A lower share"
                                + " leaves more.");
    }

    @Test
    void aContainerThatHasNoRoomIsNotFilled() throws IOException {
        write(GROUP, HEAP, MemoryUse.of("the container", 95L << 20, 100L << 20));
        assertThat(limits).isNull();
        assertThat(text())
                .endsWith(
                        "\nHeld by: not known. It may take 8 MiB of the container, which has only"
                                + " 5 MiB left. A lower share leaves more.\n");
    }

    @Test
    void withoutALiveSampleNothingIsSearched() throws IOException {
        engine.block = null;
        write(HEAP, HEAP, GROUP);
        assertThat(text())
                .endsWith(
                        "\n"
                            + "No collection has found a sampled object alive; a smaller interval"
                            + " shows more.\n");
        assertThat(meanwhile).isNull();
        assertThat(log)
                .containsExactly(
                        "Memory is near its limit: the heap uses 92.8 % of its limit, 950 MiB of"
                                + " 1 GiB after a collection. The report is in "
                                + file()
                                + ".");
    }

    @Test
    void onlyACollectionThatStopsNothingIsForced() throws IOException {
        tracked = 1;
        for (GarbageCollector each : GarbageCollector.values()) {
            engine.block = new BlockWriter().info(Info.COLLECTOR, each.ordinal()).write();
            write(HEAP, HEAP, GROUP);
            boolean isConcurrent = each.name().matches("(Z|SHENANDOAH)(_GENERATIONAL)?");
            assertThat(engine.takeCalls().contains("snapshot 1 gc")).isEqualTo(isConcurrent);
        }
        tracked = 0;
        engine.block = new BlockWriter().info(Info.COLLECTOR, GarbageCollector.Z.ordinal()).write();
        write(HEAP, HEAP, GROUP);
        assertThat(engine.takeCalls()).doesNotContain("snapshot 1 gc");
    }

    @Test
    void anInterruptedThreadStillWrites() throws IOException {
        Thread.currentThread().interrupt();
        write(HEAP, HEAP, GROUP);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(text()).contains("static field com.acme.Shop.open");
        assertNothingElseStays();
    }

    @Test
    void whatHasTakenThePlaceOfTheFileIsLeftAlone() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        Files.createSymbolicLink(file(), precious);
        assertThatIOException()
                .isThrownBy(() -> write(HEAP, HEAP, GROUP))
                .withMessageStartingWith(
                        "reportNearLimit names "
                                + file()
                                + ", where no report can be written: it is a symbolic link.");
        assertThat(precious).hasContent("precious");
    }

    @Test
    void aFolderThatHasGoneIsSaid() throws IOException {
        Files.delete(folder);
        assertThatIOException()
                .isThrownBy(() -> write(HEAP, HEAP, GROUP))
                .withMessageContaining("whose folder does not exist");
        Files.createDirectory(folder);
    }

    /** As the report on out-of-memory: it has names of the application's code. */
    @Test
    void onlyThisUserCanReadANewReport() throws IOException {
        write(HEAP, HEAP, GROUP);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void theReportBeforeIsReplacedAsAWholeAndKeepsItsPermissions() throws IOException {
        Files.writeString(file(), "x".repeat(100_000));
        Set<PosixFilePermission> own = PosixFilePermissions.fromString("rw-r-----");
        Files.setPosixFilePermissions(file(), own);
        write(HEAP, HEAP, GROUP);
        assertThat(text()).startsWith("HeapSampler: memory").doesNotContain("xxx");
        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(own);
    }
}
