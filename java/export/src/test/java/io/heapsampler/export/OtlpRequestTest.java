// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.Exporting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Requests as a reader of the wire format sees them. OpenTelemetry's own reads them in tests/fleet.
 */
class OtlpRequestTest {

    private static final Map<String, String> RESOURCE = Map.of("service.name", "shop");

    private static Message request(HeapSnapshot snapshot, ExportOptions options)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeOtlp(snapshot, RESOURCE, out, options);
        return Message.of(ByteBuffer.wrap(out.toByteArray()));
    }

    private static Message small() throws IOException {
        return request(Heaps.small(), ExportOptions.defaults());
    }

    private static List<Message> profiles(Message request) {
        return request.one(1).one(2).all(2);
    }

    private static String type(Message request, Message profile) {
        Message type = profile.one(1);
        List<String> strings = request.one(2).strings(5);
        return strings.get((int) type.number(1)) + " " + strings.get((int) type.number(2));
    }

    @Test
    void thereIsAProfileForEachFigure() throws IOException {
        Message request = small();

        assertThat(profiles(request))
                .extracting(profile -> type(request, profile))
                .containsExactly(
                        "alloc_objects count",
                        "alloc_space bytes",
                        "inuse_objects count",
                        "inuse_space bytes");
        for (Message profile : profiles(request)) {
            assertThat(profile.number(3)).isEqualTo(Heaps.START * 1_000);
            assertThat(profile.number(4)).isEqualTo(100_000_000_000L);
            assertThat(profile.number(6)).isEqualTo(4096);
            assertThat(((ByteBuffer) profile.fields().get(7).get(0)).remaining()).isEqualTo(16);
        }
        assertThat(request.one(1).one(1).one(1).strings(1)).containsExactly("service.name");
        assertThat(request.one(1).one(2).one(1).strings(1)).containsExactly("io.heapsampler");
    }

    @Test
    void attributesOfTheResourceKeepTheirTypes() throws IOException {
        Map<String, Object> resource = new LinkedHashMap<>();
        resource.put("text", "shop");
        resource.put("no", false);
        resource.put("zero", 0L);
        resource.put("real", 0.5);
        resource.put("array", List.of("a", 7L));
        resource.put("map", Map.of("k", "v"));
        resource.put("bytes", new byte[] {1, 2});
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporting.get().writeOtlp(Heaps.small(), resource, out, ExportOptions.defaults());

        List<Message> values =
                Message.of(ByteBuffer.wrap(out.toByteArray())).one(1).one(1).all(1).stream()
                        .map(pair -> pair.one(2))
                        .toList();
        assertThat(values.get(0).strings(1)).containsExactly("shop");
        assertThat(values.get(1).number(2)).isZero();
        assertThat(values.get(1).fields()).containsOnlyKeys(2);
        assertThat(values.get(2).fields()).containsOnlyKeys(3);
        assertThat(values.get(3).number(4)).isEqualTo(Double.doubleToLongBits(0.5));
        assertThat(values.get(4).one(5).all(1).get(0).strings(1)).containsExactly("a");
        assertThat(values.get(4).one(5).all(1).get(1).number(3)).isEqualTo(7);
        assertThat(values.get(5).one(6).one(1).one(2).strings(1)).containsExactly("v");
        assertThat(values.get(6).strings(7)).containsExactly("\u0001\u0002");
    }

    @Test
    void figuresAreThoseOfTheSites() throws IOException {
        List<Message> profiles = profiles(small());

        assertThat(profiles.get(1).all(2))
                .extracting(sample -> sample.packed(4).get(0))
                .containsExactly(2000L, 64L, 24L);
        // The live objects of two threads are one sample, and the other sites have none.
        assertThat(profiles.get(3).all(2))
                .extracting(sample -> sample.packed(4).get(0))
                .containsExactly(400L);
        assertThat(profiles.get(3).all(2).get(0).fields()).doesNotContainKey(2);
    }

    @Test
    void theFirstEntryOfEachTableIsEmpty() throws IOException {
        Message dictionary = small().one(2);

        for (int table : new int[] {1, 2, 3, 4, 6, 7}) {
            assertThat(dictionary.all(table).get(0).fields()).as("table %d", table).isEmpty();
        }
        assertThat(dictionary.strings(5)).startsWith("").doesNotHaveDuplicates();
    }

    @Test
    void stacksBeginWithTheClass() throws IOException {
        Message request = small();
        Message dictionary = request.one(2);
        List<String> strings = dictionary.strings(5);
        long stack = profiles(request).get(1).all(2).get(1).number(1);

        List<String> names = new ArrayList<>();
        for (long location : dictionary.all(7).get((int) stack).packed(1)) {
            Message at = dictionary.all(2).get((int) location);
            assertThat(at.packed(4)).containsExactly(1L);
            Message function = dictionary.all(3).get((int) at.one(3).number(1));
            names.add(strings.get((int) function.number(1)));
        }

        assertThat(names)
                .containsExactly(
                        "com.acme.Item[][]",
                        "java.lang.Object.clone",
                        "a.A$$Lambda.run",
                        "com.acme.Main.main",
                        "(truncated)");
        Message frameType = dictionary.all(6).get(1);
        assertThat(strings.get((int) frameType.number(1))).isEqualTo("profile.frame.type");
        assertThat(frameType.one(2).strings(1)).containsExactly("jvm");
    }

    @Test
    void sitesBeyondTheLimitAreSummedUp() throws IOException {
        Message request = request(Heaps.small(), ExportOptions.builder().maxSites(2).build());

        assertThat(profiles(request).get(1).all(2))
                .extracting(sample -> sample.packed(4).get(0))
                .containsExactly(2000L, 88L);
        assertThat(request.one(2).strings(5))
                .contains("(other)")
                .doesNotContain("com.acme.Item[][]");
    }

    @Test
    void aChangeHasItsAllocationsAndAllLiveObjects() throws IOException {
        HeapSnapshot snapshot = Heaps.small();
        Message request =
                request(snapshot, ExportOptions.builder().allocatedSince(snapshot).build());

        assertThat(profiles(request))
                .extracting(profile -> type(request, profile))
                .containsExactly("inuse_objects count", "inuse_space bytes");
        assertThat(profiles(request).get(0).number(4)).isZero();
        assertThat(request.one(2).all(7)).hasSize(2);
    }

    @Test
    void anEmptyHeapHasNoProfiles() throws IOException {
        Message request = request(Heaps.empty(), ExportOptions.defaults());

        assertThat(profiles(request)).isEmpty();
    }
}
