// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles of holders. */
class HoldersProfileTest {

    private static final ExportOptions HOLDERS = ExportOptions.builder().holders(true).build();

    private static byte[] profile(ExportOptions options) {
        return Heaps.export(ExportFormat.PPROF, HeldHeaps.held("odd"), options);
    }

    private static Message read(byte[] profile) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(profile))) {
            return Message.of(ByteBuffer.wrap(in.readAllBytes()));
        }
    }

    /** Returns stacks as text, outermost first, and the values of each. */
    private static Map<String, List<Long>> stacks(Message profile) {
        List<String> strings = profile.strings(6);
        Map<Long, String> functions = new HashMap<>();
        profile.all(5).forEach(f -> functions.put(f.number(1), strings.get((int) f.number(2))));
        Map<Long, String> locations = new HashMap<>();
        profile.all(4)
                .forEach(at -> locations.put(at.number(1), functions.get(at.one(4).number(1))));
        Map<String, List<Long>> stacks = new HashMap<>();
        for (Message sample : profile.all(2)) {
            List<String> names = new ArrayList<>();
            sample.packed(1).forEach(id -> names.add(0, locations.get(id)));
            stacks.put(String.join(" > ", names), sample.packed(2));
        }
        return stacks;
    }

    @Test
    void stacksGoFromTheRootToTheSite() throws IOException {
        String map = "static field com.acme.Shop.open > value in HashMap > byte[] allocated at ";

        assertThat(stacks(read(profile(HOLDERS))))
                .containsOnly(
                        Map.entry(map + "com.acme.Shop.put(Source.java:12)", List.of(2L, 2_000L)),
                        Map.entry(map + "com.acme.Shop.load(Source.java:40)", List.of(1L, 1_000L)),
                        Map.entry(
                                "local of com.acme.Shop.run in thread main > byte[] allocated at"
                                        + " com.acme.Shop.load(Source.java:40)",
                                List.of(1L, 1_000L)),
                        Map.entry(
                                "static field com.acme.Shop.odd > byte[] allocated at"
                                        + " com.acme.Shop.load(Source.java:40)",
                                List.of(1L, 1_000L)),
                        Map.entry("(no holder: ONLY_WEAK)", List.of(1L, 1_000L)));
    }

    @Test
    void typesAreHeldObjectsAndBytes() throws IOException {
        Message profile = read(profile(HOLDERS));
        List<String> strings = profile.strings(6);

        assertThat(profile.all(1))
                .extracting(type -> strings.get((int) type.number(1)))
                .containsExactly("held_objects", "held_space");
        assertThat(strings.get((int) profile.number(14))).isEqualTo("held_space");
        assertThat(profile.all(3)).hasSize(1);
    }

    @Test
    void theClassIsALabelUnlessThereAreNone() throws IOException {
        ExportOptions bare = ExportOptions.builder().holders(true).labels(false).build();

        assertThat(read(profile(HOLDERS)).all(2)).anySatisfy(s -> assertThat(s.all(3)).hasSize(1));
        assertThat(read(profile(bare)).all(2)).allSatisfy(s -> assertThat(s.all(3)).isEmpty());
    }

    @Test
    void snapshotWithoutHoldersIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Heaps.export(ExportFormat.PPROF, Heaps.small(), HOLDERS))
                .withMessage(
                        "The snapshot has no holders. Search them with heldBy(HeldByOptions), and"
                                + " export HeldBy.snapshot().");
    }

    @Test
    void otherOptionsThatHoldersCannotHaveAreRefused() {
        ExportOptions.Builder named = ExportOptions.builder().holders(true).threadNames(n -> "");
        assertThatIllegalStateException()
                .isThrownBy(named::build)
                .withMessageContaining("names of threads");
        ExportOptions.Builder compared =
                ExportOptions.builder().holders(true).comparedWith(Heaps.small());
        assertThatIllegalStateException()
                .isThrownBy(compared::build)
                .withMessageContaining("cannot be compared");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExportFormat.CSV.with(HOLDERS))
                .withMessage("CSV cannot show holders as stacks (holders). PPROF can.");
    }

    @Test
    void goReadsIt(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("holders.pb.gz"), profile(HOLDERS));

        String top = pprof("-top", file);
        assertThat(top)
                .contains("Type: held_space")
                .containsPattern(
                        "3000B 50\\.00% +static field com\\.acme\\.Shop\\.open(?s:.*)"
                                + "3000B 50\\.00% +value in HashMap");
        assertThat(pprof("-tree", file))
                .contains("local of com.acme.Shop.run in thread main")
                .contains("byte[] allocated at com.acme.Shop.put(Source.java:12)");
    }

    private static String pprof(String view, Path file) throws Exception {
        Process process;
        try {
            process =
                    new ProcessBuilder("go", "tool", "pprof", view, "-unit=B", file.toString())
                            .redirectErrorStream(true)
                            .start();
        } catch (IOException e) {
            assumeTrue(false, "there is no go here");
            throw e;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
