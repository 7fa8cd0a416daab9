// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Wanted;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Memory does not grow, however long the sampler runs. Each target runs the same cycles twice, with
 * the sampler and with another agent that does the least that any sampler does, requests the stack
 * of each sample. For the JVM grows by itself: up to version 25 it never frees the ids of the
 * methods that a stack has named. The first half is warm-up.
 *
 * <p>Native bytes of the sampler after {@code reset()} must be the same after every cycle, except
 * for three threads of the JVM that come to have their first sample. Native bytes while it runs,
 * and the resident memory beyond that of the other JVM, must not grow by more than the tolerance
 * per cycle: a test fails if the growth exceeds it with a chance of 999 in 1,000. So a sampler that
 * grows by no more than the tolerance fails once in 1,000 runs at most.
 */
class SoakTest {

    /** What three threads of the JVM keep once they have had a sample. */
    private static final double BYTES_OF_THREADS = 3 * 5 * 1_024;

    private static final Pattern CYCLE =
            Pattern.compile("cycle=\\d+ ms=\\d+ rss=(\\d+) running=(\\d+) idle=(\\d+)");

    private record Started(String name, Future<Outcome> with, Future<Outcome> other) {}

    /**
     * The second half of the measurements after each cycle.
     *
     * @param rss in KiB
     * @param running native bytes before the stop
     * @param idle native bytes after the reset
     */
    private record Series(double[] rss, double[] running, double[] idle) {

        static Series of(Outcome outcome) {
            List<double[]> rows = new ArrayList<>();
            Matcher cycles = CYCLE.matcher(outcome.output());
            while (cycles.find()) {
                rows.add(
                        new double[] {
                            Double.parseDouble(cycles.group(1)),
                            Double.parseDouble(cycles.group(2)),
                            Double.parseDouble(cycles.group(3))
                        });
            }
            List<double[]> half = rows.subList(rows.size() / 2, rows.size());
            return new Series(column(half, 0), column(half, 1), column(half, 2));
        }

        private static double[] column(List<double[]> rows, int number) {
            return rows.stream().mapToDouble(row -> row[number]).toArray();
        }
    }

    @TestFactory
    Stream<DynamicTest> memoryIsFlat() throws Exception {
        ForkedJvm jvms = new ForkedJvm("soak");
        Wanted wanted = Wanted.by("chaos.cells");
        List<Started> started = new ArrayList<>();
        for (Target target : targets()) {
            String name = target.name() + "-soak";
            if (wanted.includes(name)) {
                started.add(
                        new Started(
                                name,
                                jvms.start(launch(name, target)),
                                jvms.start(
                                        launch(name + "-other", target)
                                                .flags(
                                                        List.of(
                                                                "-Dchaos.other=true",
                                                                ForkedJvm.nativeAgent()
                                                                        + "=samples")))));
            }
        }
        return started.stream().map(one -> DynamicTest.dynamicTest(one.name, () -> check(one)));
    }

    /**
     * Before a merge one target; in the long tier one collector of each JDK, which are other ones
     * every day; where soaks are requested by name, any.
     */
    private static List<Target> targets() {
        List<Target> all = Target.all();
        if (System.getProperty("chaos.cells", "").contains("soak")) {
            return all;
        }
        return Tier.current() == Tier.LONG
                ? Target.oneOfEach(all, LocalDate.now(ZoneOffset.UTC).toEpochDay())
                : all.stream().filter(target -> target.gc() == Gc.G1).limit(1).toList();
    }

    /** A heap that is there from the beginning and one compiler do not blur the picture. */
    private static Launch launch(String name, Target target) {
        int seconds = Integer.getInteger("chaos.soak.seconds", Tier.current().soakSeconds());
        return Launch.of(name, target, Soak.class, String.valueOf(seconds))
                .measured()
                .flags(List.of("-Xms256m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1"))
                .within(seconds + 600);
    }

    private static void check(Started started) throws Exception {
        Outcome with = started.with.get();
        Outcome other = started.other.get();
        assertThat(with.trouble(0)).isEmpty();
        assertThat(other.trouble(0)).isEmpty();
        Series series = Series.of(with);
        Slope running = Slope.of(series.running);
        Slope rss = Slope.of(series.rss);
        Slope more = rss.minus(Slope.of(Series.of(other).rss));
        System.out.printf(
                "chaos: %s: %d cycles, per cycle: running %s B, rss %s KiB, more than the other"
                        + " agent %s%n",
                started.name, series.rss.length, running, rss, more);
        double[] idle = series.idle;
        assertThat(
                        Arrays.stream(idle).max().orElseThrow()
                                - Arrays.stream(idle).min().orElseThrow())
                .as("growth of idle bytes")
                .isLessThanOrEqualTo(BYTES_OF_THREADS);
        assertThat(running.atLeast())
                .as("bytes per cycle while it runs: %s", running)
                .isLessThanOrEqualTo(Tier.current().runningTolerance());
        assertThat(more.atLeast())
                .as("KiB per cycle beyond those with the other agent: %s", more)
                .isLessThanOrEqualTo(Tier.current().rssTolerance());
    }
}
