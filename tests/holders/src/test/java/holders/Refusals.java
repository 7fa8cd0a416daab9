// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess.Companion;
import io.heapsampler.support.MemoryGroup;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A system that refuses forks, and a memory cgroup that leaves no room for a child. */
final class Refusals {

    private static final int PATIENCE_SECONDS = 60;

    private final ForkedJvm jvms;
    private final Cell cell;

    Refusals(ForkedJvm jvms, Cell cell) {
        this.jvms = jvms;
        this.cell = cell;
    }

    String run() throws Exception {
        return "fork: " + withoutForks() + "; room: " + withoutRoom();
    }

    private String withoutForks() throws Exception {
        Outcome outcome = run("fork", Companion.NONE, "fork");
        if (!outcome.lines("skipped:").isEmpty()) {
            return outcome.lines("skipped:").get(0);
        }
        assertThat(outcome.lines("refused"))
                .as("searches in\n%s", outcome)
                .hasSize(2)
                .allMatch(line -> line.contains("way=PASSES"))
                .allMatch(line -> line.contains("Other ways: child: no fork, error 1."))
                .noneMatch(line -> line.contains("holders=0 "));
        return "passes instead";
    }

    /** With a fifth of the group's limit left, it gets neither a child nor killed. */
    private String withoutRoom() throws Exception {
        MemoryGroup made;
        try {
            made = MemoryGroup.make();
        } catch (IOException e) {
            return "skipped: no memory cgroup can be made: " + e;
        }
        Path isIn = Files.createTempFile("holders", "in");
        Path isLimited = Files.createTempFile("holders", "limited");
        try (MemoryGroup group = made) {
            Files.delete(isIn);
            Files.delete(isLimited);
            Companion companion =
                    (process, output) -> {
                        await(process, output, "begun");
                        group.add(process.pid());
                        Files.createFile(isIn);
                        await(process, output, "filled");
                        group.limit(group.used() / 4 * 5);
                        Files.createFile(isLimited);
                    };
            Outcome outcome = run("room", companion, "room", isIn.toString(), isLimited.toString());
            assertThat(outcome.lines("refused"))
                    .as("searches in\n%s", outcome)
                    .hasSize(2)
                    .allMatch(
                            line ->
                                    line.matches(
                                            ".*child: [0-9]+ MiB needed, 1024 allowed, [0-9]+"
                                                    + " free.*"));
            return outcome.lines("refused").get(0).replaceAll(".*(child: [^;.]*).*", "$1");
        } finally {
            Files.deleteIfExists(isIn);
            Files.deleteIfExists(isLimited);
        }
    }

    private Outcome run(String mode, Companion companion, String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of(RefusedMain.class.getName()));
        all.addAll(List.of(words));
        Outcome outcome =
                jvms.run(
                        cell.name() + "-" + mode,
                        cell,
                        companion,
                        List.of("-Xms32m", "-Xmx256m", "-Xcheck:jni"),
                        all.toArray(String[]::new));
        assertThat(outcome.complaint()).as("complaint of the JVM in\n%s", outcome).isEmpty();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        return outcome;
    }

    private static void await(Process process, Path output, String word) throws Exception {
        boolean isThere =
                Until.within(PATIENCE_SECONDS, () -> !process.isAlive() || hasLine(output, word));
        assertThat(isThere && process.isAlive()).as(Files.readString(output)).isTrue();
    }

    private static boolean hasLine(Path output, String line) throws IOException {
        return Files.readString(output).lines().anyMatch(line::equals);
    }
}
