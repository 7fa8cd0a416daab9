// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess.Companion;
import io.heapsampler.support.Turns;
import io.heapsampler.support.Wanted;
import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Paths to known holders are right and their estimates true, on each JDK and collector and by each
 * way; nothing stays behind. Several JVMs run at a time.
 */
class HoldersTest {

    private final Tier tier = Tier.current();
    private final ForkedJvm jvms;

    HoldersTest() throws Exception {
        jvms = new ForkedJvm();
    }

    private record Started(Cell cell, Future<String> line) {}

    @TestFactory
    Stream<DynamicTest> holdersAreRight() {
        ExecutorService turns = Turns.ofJvms();
        List<Started> cells = new ArrayList<>();
        for (Cell cell : Cell.of(tier, Wanted.by("holders.cells"))) {
            cells.add(new Started(cell, turns.submit(() -> report(cell))));
        }
        return cells.stream()
                .map(
                        started ->
                                DynamicTest.dynamicTest(
                                        started.cell.name(), () -> started.line.get()));
    }

    private String report(Cell cell) throws Exception {
        long begin = System.nanoTime();
        String line = "FAILED";
        try {
            line = check(cell);
        } finally {
            long millis = (System.nanoTime() - begin) / 1_000_000;
            System.out.printf("holders: %-44s %6d ms  %s%n", cell.name(), millis, line);
        }
        return line;
    }

    private String check(Cell cell) throws Exception {
        return switch (cell.kind()) {
            case PATHS -> paths(cell);
            case DUMP -> dump(cell);
            case SUMS -> sums(cell);
            case TROUBLE -> trouble(cell);
            case KILLS -> new Kills(jvms, cell).run();
            case REFUSALS -> new Refusals(jvms, cell).run();
        };
    }

    private Outcome run(Cell cell, List<String> flags, String... words) throws Exception {
        Outcome outcome = jvms.run(cell.name(), cell, Companion.NONE, flags, words);
        assertThat(outcome.complaint()).as("complaint of the JVM in\n%s", outcome).isEmpty();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        return outcome;
    }

    private String paths(Cell cell) throws Exception {
        Outcome outcome = run(cell, flags(cell), CaseMain.class.getName(), cell.way().label());
        return verdict(cell, outcome);
    }

    private List<String> flags(Cell cell) {
        List<String> flags = new ArrayList<>(jvms.compilerFlags(cell.name()));
        flags.addAll(heap(cell));
        flags.add("-Xcheck:jni");
        return flags;
    }

    /**
     * Under ZGC samples may hold one per cent of the heap only: in a smaller one they are thinned.
     */
    private static List<String> heap(Cell cell) {
        return isZ(cell) ? List.of("-Xms256m", "-Xmx16g") : List.of("-Xms768m", "-Xmx768m");
    }

    private static String verdict(Cell cell, Outcome outcome) {
        int cases = Cases.of(cell.jdk().feature()).size();
        assertThat(outcome.lines("case"))
                .as("cases, each before and after a collection, in\n%s", outcome)
                .hasSize(2 * cases)
                .noneMatch(line -> line.contains("FAILED"));
        return "cases=" + cases + " " + String.join(" ", outcome.lines("others:"));
    }

    private String dump(Cell cell) throws Exception {
        File dump = jvms.file(cell.name() + ".hprof").toFile();
        java.nio.file.Path snapshot = jvms.file(cell.name() + ".hsnap");
        try {
            Outcome outcome =
                    run(
                            cell,
                            flags(cell),
                            CaseMain.class.getName(),
                            cell.way().label(),
                            dump.toString(),
                            snapshot.toString());
            String line = verdict(cell, outcome);
            return line + " " + new Oracle(cell.jdk().feature()).check(dump, snapshot);
        } finally {
            Files.deleteIfExists(dump.toPath());
        }
    }

    private String sums(Cell cell) throws Exception {
        Outcome outcome = run(cell, heap(cell), SumsMain.class.getName(), cell.way().label());
        List<String> sums = outcome.lines("sum");
        assertThat(sums).as("comparisons in\n%s", outcome).hasSize(SumsMain.COMPARISONS);
        double most = 0;
        for (String sum : sums) {
            double z = Double.parseDouble(sum.replaceAll(".* z=(\\S+).*", "$1"));
            most = Math.max(most, Math.abs(z));
            assertThat(Math.abs(z)).as("%s\n%s", sum, outcome).isLessThan(SumsMain.MOST_Z);
        }
        return "comparisons=" + sums.size() + " most |z|=" + most;
    }

    private static boolean isZ(Cell cell) {
        return !Way.of(cell.gc()).contains(Way.CHILD);
    }

    /** ZGC frees memory while the program allocates, and needs room for that. */
    private String trouble(Cell cell) throws Exception {
        List<String> flags =
                new ArrayList<>(isZ(cell) ? heap(cell) : List.of("-Xms128m", "-Xmx128m"));
        flags.add("-Xcheck:jni");
        flags.add("-XX:NativeMemoryTracking=summary");
        flags.addAll(jvms.javaAgent(cell.jdk()));
        Outcome outcome =
                run(
                        cell,
                        flags,
                        TroubleMain.class.getName(),
                        cell.way().label(),
                        String.valueOf(tier.walks(cell.way() == Way.usual(cell.gc()))));
        return String.join(" ", outcome.lines("trouble"));
    }
}
