// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.FigureTrial.Measure;
import io.heapsampler.assertions.internal.JvmWork.Kind;
import io.heapsampler.assertions.internal.LeakFindings.Other;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The exact words about how a figure was obtained and which sites were left out. */
class DescriptionTextTest {

    private static Scope in(ThreadScope threads) {
        return new Scope(threads, List.of(), List.of(), List.of(), List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TEST | in the test's thread",
                "DEFAULT | in the test's thread",
                "INHERITED | in the test's thread and those it starts",
                "ALL | in all threads",
            })
    void threads(ThreadScope threads, String text) {
        assertThat(SampledMeasure.how(0, 1_200, in(threads)))
                .isEqualTo("every allocation recorded, 1,200 in total, " + text);
    }

    @Test
    void samplesOfAPart() {
        Scope part =
                new Scope(
                        ThreadScope.TEST,
                        List.of("byte[]", "int[]"),
                        List.of("com.acme", "org.acme"),
                        Pattern.all("com.acme.Cart", "com.acme.Item.*"),
                        Pattern.all("com.acme.Log", "com.acme.Trace"));

        assertThat(SampledMeasure.how(1_024, 1, part))
                .isEqualTo(
                        "estimated from 1 sample, one every 1,024 bytes, of byte[], int[] of"
                                + " classes in com.acme, org.acme at com.acme.Cart,"
                                + " com.acme.Item.* without com.acme.Log, com.acme.Trace in the"
                                + " test's thread");
        assertThat(SampledMeasure.how(262, 4_000, Scope.TEST))
                .isEqualTo(
                        "estimated from 4,000 samples, one every 262 bytes, in the test's thread");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2000 | 2000 | 2000 | 2,000 bytes",
                "2000 | 2000 | Infinity | 2 KiB or more",
                "1000 | 2000 | 3000 | 2 KiB ± 1,000 B",
                "0 | 2000 | 3000 | 2 KiB ± 1.5 KiB",
                "0 | 16 | 16 | 16 B (0 B to 16 B)",
            })
    void figures(double low, double bytes, double high, String text) {
        assertThat(new Measured(low, bytes, high, "", null, "").figure()).isEqualTo(text);
    }

    /** Each run allocates 16 bytes, and a doubt may be left. */
    private record Runs(double doubt) implements Measure {

        @Override
        public Measured once(Subject subject) throws Throwable {
            subject.run();
            return new Measured(16 - doubt, 16, 16, "counted", null, "");
        }

        @Override
        public Measure better(Measured undecided, long limit) {
            return new Runs(0);
        }

        @Override
        public Rule.Layer layer() {
            return Rule.Layer.COUNT;
        }
    }

    private static String how(int warmup, int judged, long limit, double doubt) throws Throwable {
        String[] how = new String[1];
        ThrowingRunnable nothing = () -> {};
        Subject subject = new Subject("The code", nothing, nothing, nothing, nothing);
        try (FigureTrial trial =
                new FigureTrial(
                        new Runs(doubt),
                        limit,
                        new Repeats(warmup, judged),
                        result -> {
                            how[0] = result.how();
                            return new Verdict(
                                    Verdict.Outcome.PASSED, "rule", result.how(), null, null);
                        })) {
            while (trial.needsMore()) {
                trial.run(subject);
            }
            assertThat(trial.verdict("The code").summary()).isEqualTo(how[0]);
        }
        return how[0];
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 1 | 0 | 0 | counted; first run",
                "3 | 1 | 0 | 0 | counted; run 4",
                "3 | 5 | 16 | 0 | counted; run 4",
                "0 | 3 | 0 | 0 | counted; smallest of 3 runs",
                "1 | 3 | 0 | 0 | counted; smallest of 3 runs, after 1 other",
                "2 | 3 | 0 | 0 | counted; smallest of 3 runs, after 2 others",
                "0 | 2 | 8 | 16 | counted; smallest of 2 runs (one recorded again, because an"
                        + " estimate could not decide)",
            })
    void runs(int warmup, int judged, long limit, double doubt, String text) throws Throwable {
        assertThat(how(warmup, judged, limit, doubt)).isEqualTo(text);
    }

    @Test
    void trialWithoutAJudgedRun() {
        try (FigureTrial trial = new FigureTrial(new Runs(0), 0, Repeats.NONE, result -> null)) {
            assertThatThrownBy(() -> trial.verdict("The code"))
                    .isInstanceOf(NotMeasuredException.class)
                    .hasMessage("No run was judged.");
        }
    }

    private static String advice(Repeats repeats, long ofSecond) throws Throwable {
        String[] advice = new String[1];
        AtomicLong bytes = new AtomicLong(16);
        ThrowingRunnable nothing = () -> {};
        Subject subject = new Subject("The code", nothing, nothing, nothing, nothing);
        try (FigureTrial trial =
                new FigureTrial(
                        new Figures(bytes),
                        8,
                        repeats,
                        result -> {
                            advice[0] = result.advice();
                            return new Verdict(Verdict.Outcome.FAILED, "rule", "", null, null);
                        })) {
            while (trial.needsMore()) {
                trial.run(subject);
            }
            bytes.set(ofSecond);
            if (trial.wantsAdvice()) {
                trial.advise(subject);
            }
            trial.verdict("The code");
        }
        return advice[0];
    }

    /** Each run allocates these bytes. */
    private record Figures(AtomicLong bytes) implements Measure {

        @Override
        public Measured once(Subject subject) {
            return Measured.exact(bytes.get(), "counted", null);
        }

        @Override
        public Rule.Layer layer() {
            return Rule.Layer.COUNT;
        }
    }

    @Test
    void adviceAboutLaterRuns() throws Throwable {
        assertThat(advice(Repeats.NONE, 16))
                .isEqualTo(
                        " Where only a first run does this, have later runs judged, with warmup at"
                                + " @AllocationTest or assertAllocations.");
        assertThat(advice(new Repeats(1, 1), 8)).isEmpty();
        assertThat(advice(Repeats.NONE, 8))
                .isEqualTo(
                        " A second, unjudged run was within the limit (8 bytes): if later runs are"
                                + " meant, write @AllocationTest(warmup = 1) in place of @Test, or"
                                + " warmup(1) at assertAllocations.");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void workOfTheJvm(Kind kind) {
        assertThat(kind.words)
                .isEqualTo(
                        switch (kind) {
                            case CLASSES -> "loading classes";
                            case LINKAGE -> "linking lambdas and method handles";
                            case CONSTANTS -> "resolving constants";
                            case REFLECTION -> "preparing reflection";
                            case BUNDLES -> "loading resource bundles and locales";
                            case CHARSETS -> "setting up character sets";
                            case LOGGERS -> "finding loggers";
                            case SERIALIZATION -> "describing classes for serialization";
                            case SERVICES -> "setting up services of the JDK";
                        });
    }

    @ParameterizedTest
    @EnumSource(Other.class)
    void sitesThatGrewAndAreNoLeaks(Other other) {
        String words =
                switch (other) {
                    case WITHIN -> "within perSite";
                    case ALLOWED -> "allowed";
                    case SOFT ->
                            "only softly reachable, which the JVM frees before memory runs out";
                    case REPLACED -> "where newer objects took the place of older ones";
                    case STOPPED -> "that grew for a while only";
                    case OPEN -> "that grew too seldom to tell";
                    case CONCEALED -> "of a class of which other code frees objects";
                };
        Map<Other, Integer> counts = new EnumMap<>(Other.class);
        counts.put(other, 1);
        assertThat(LeakFindings.words(counts)).isEqualTo("1 site " + words);
        counts.put(other, 2);
        assertThat(LeakFindings.words(counts)).isEqualTo("2 sites " + words);
        counts.put(other == Other.ALLOWED ? Other.WITHIN : Other.ALLOWED, 0);
        assertThat(LeakFindings.words(counts)).isEqualTo("2 sites " + words);
    }
}
