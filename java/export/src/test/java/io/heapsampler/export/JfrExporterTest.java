// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.item.Attribute;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** Both readers there are: that of JDK Mission Control and the JDK's own. */
class JfrExporterTest {

    private static final IAttribute<IMCType> OBJECT_CLASS =
            Attribute.attr("objectClass", "Class", UnitLookup.CLASS);

    @TempDir private Path folder;

    private List<RecordedEvent> read(HeapSnapshot snapshot) throws IOException {
        Path file = folder.resolve("heap.jfr");
        snapshot.writeTo(file, ExportFormat.JFR);
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    @Test
    void missionControlReadsAllocations() throws Exception {
        byte[] jfr = Heaps.export(ExportFormat.JFR, Heaps.small(), ExportOptions.defaults());
        IItemCollection events = JfrLoaderToolkit.loadEvents(new ByteArrayInputStream(jfr));
        List<String> seen = new ArrayList<>();

        for (IItemIterable each : events) {
            if (each.getType().getIdentifier().equals("jdk.ObjectAllocationSample")) {
                IMemberAccessor<IMCType, IItem> type = OBJECT_CLASS.getAccessor(each.getType());
                IMemberAccessor<IMCStackTrace, IItem> stack =
                        JfrAttributes.EVENT_STACKTRACE.getAccessor(each.getType());
                each.forEach(
                        item -> seen.add(type.getMember(item).getFullName() + leaf(stack, item)));
            }
        }

        assertThat(seen)
                .containsOnly(
                        "byte[] com.acme.Cart.add:42",
                        "com.acme.Item[][] java.lang.Object.clone:-1",
                        "java.lang.String");
    }

    private static String leaf(IMemberAccessor<IMCStackTrace, IItem> accessor, IItem item) {
        IMCStackTrace stack = accessor.getMember(item);
        if (stack == null) {
            return "";
        }
        IMCFrame frame = stack.getFrames().get(0);
        return " "
                + frame.getMethod().getType().getFullName()
                + "."
                + frame.getMethod().getMethodName()
                + ":"
                + frame.getFrameLineNumber();
    }

    /** Within one byte for each event, to which weights are rounded. */
    @ParameterizedTest
    @CsvSource({"small-17-g1.block", "wide-17-serial.block", "wide-25-zgc.block"})
    void weightsOfAllocationsAddUpToTheAllocatedBytes(String golden) throws IOException {
        HeapSnapshot snapshot = Heaps.golden(golden);
        List<RecordedEvent> allocations = named(read(snapshot), "jdk.ObjectAllocationSample");

        double sum = allocations.stream().mapToLong(event -> event.getLong("weight")).sum();

        assertThat(sum)
                .isCloseTo(
                        snapshot.totals().allocated().bytes().value(),
                        within((double) allocations.size()));
    }

    @Test
    void theJdkReadsTimesThreadsStacksAndWeights() throws IOException {
        List<RecordedEvent> allocations = named(read(Heaps.small()), "jdk.ObjectAllocationSample");

        RecordedEvent first =
                allocations.stream()
                        .filter(event -> event.getLong("weight") == 300)
                        .findFirst()
                        .orElseThrow();
        assertThat(first.getStartTime()).isEqualTo(Instant.parse("2026-01-01T00:01:00Z"));
        assertThat(first.getThread("eventThread").getJavaName()).isEqualTo("pool-1-thread-1");
        assertThat(first.getClass("objectClass").getName()).isEqualTo("[B");
        RecordedFrame leaf = first.getStackTrace().getFrames().get(0);
        assertThat(leaf.getMethod().getType().getName()).isEqualTo("com.acme.Cart");
        assertThat(leaf.getMethod().getName()).isEqualTo("add");
        assertThat(leaf.getLineNumber()).isEqualTo(42);
        // The rest of the site without its four samples.
        assertThat(allocations).anyMatch(event -> event.getLong("weight") == 2000 - 616);
    }

    @Test
    void theJdkReadsLivingObjectsAndNotes() throws IOException {
        List<RecordedEvent> events = read(Heaps.small());
        List<RecordedEvent> living = named(events, "heapsampler.LiveObject");

        assertThat(living).hasSize(3);
        assertThat(living.get(0).getString("liveness")).isEqualTo("LIVE");
        assertThat(living.get(0).getInt("collectionsSurvived")).isEqualTo(2);
        assertThat(living.get(0).getLong("objectSize")).isEqualTo(100);
        assertThat(named(events, "heapsampler.Note")).hasSameSizeAs(Heaps.small().notes());
        RecordedEvent head = named(events, "heapsampler.Snapshot").get(0);
        assertThat(head.getLong("interval")).isEqualTo(4096);
        assertThat(head.getString("collector")).isEqualTo("G1");
    }

    @Test
    void stacksThatAreCutSaySo() throws IOException {
        Map<String, Boolean> truncated =
                named(read(Heaps.small()), "jdk.ObjectAllocationSample").stream()
                        .filter(event -> event.getStackTrace() != null)
                        .collect(
                                Collectors.toMap(
                                        event -> event.getClass("objectClass").getName(),
                                        event -> event.getStackTrace().isTruncated(),
                                        (a, b) -> a));

        assertThat(truncated).containsEntry("[B", false).containsEntry("[[Lcom.acme.Item;", true);
    }

    @ParameterizedTest
    @CsvSource({
        "java.lang.String, java/lang/String",
        "byte[], [B",
        "long[][], [[J",
        "a.B[], [La/B;",
        "int, int"
    })
    void classesAreNamedAsTheJvmDoes(String java, String internal) {
        assertThat(JfrValues.internalName(java)).isEqualTo(internal);
    }
}
