// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Every assertion again and again, beside four threads that keep the processors, the allocator and
 * the compilers busy: no false failure, no false pass. Once by default, and then without the slow
 * kinds; {@code -Dheapsampler.tests.times=400} sets how often. Each kind prints a row of the table
 * in {@code results.md}. {@code -Dheapsampler.tests.kinds=NoLeaks} leaves out kinds without that in
 * their name.
 *
 * <p>Where the bytes of all threads count, the load keeps the processors busy only.
 *
 * <p>Exact figures are not left to chance. An estimate is beyond its bounds once in 15,000 figures;
 * here none is near its limit.
 */
@Tag("once")
class FlakinessTest {

    private static final int TIMES = Integer.getInteger("heapsampler.tests.times", Tier.of(1, 25));

    private static final String KINDS = System.getProperty("heapsampler.tests.kinds", "");

    /** Verdicts that are shown in whole; the others are counted. */
    private static final int SHOWN = 3;

    @TempDir static Path directory;

    @BeforeAll
    static void load() {
        Collections.assumeCollections(); // for objects that the load leaves behind
        AssertionKinds.setUp(directory);
        Load.start();
    }

    @AfterAll
    static void unload() throws InterruptedException {
        Load.stop();
        AssertionKinds.tearDown();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static Stream<AssertionKinds.Kind> kinds() {
        return AssertionKinds.all(TIMES > 1).filter(kind -> kind.name().contains(KINDS));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Timeout(7_200)
    void neitherFalseFailureNorFalsePass(AssertionKinds.Kind kind) throws Throwable {
        kind.prepare().run();
        Tally tally = new Tally();
        long start = System.nanoTime();
        for (int i = 0; i < TIMES; i++) {
            tally.expectPass(kind);
            tally.expectFailure(kind);
            Sink.forget();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.println(tally.row(kind, seconds));
        tally.requireNoneWrong(kind);
    }

    /** The wrong verdicts of one kind. */
    private static final class Tally {

        private int falseFailures;
        private int falsePasses;
        private int notMeasured;
        private final List<Throwable> shown = new ArrayList<>();

        void expectPass(AssertionKinds.Kind kind) {
            try {
                kind.passing().run();
            } catch (Throwable e) {
                if (isNotMeasured(e)) {
                    notMeasured++;
                } else {
                    falseFailures++;
                }
                show(e);
            }
        }

        void expectFailure(AssertionKinds.Kind kind) {
            try {
                kind.failing().run();
                falsePasses++;
            } catch (Throwable e) {
                if (!(e instanceof AssertionError) || isNotMeasured(e)) {
                    notMeasured++;
                    show(e);
                }
            }
        }

        private static boolean isNotMeasured(Throwable e) {
            return e instanceof TestAbortedException
                    || String.valueOf(e.getMessage()).contains("was not measured");
        }

        private void show(Throwable e) {
            if (shown.size() < SHOWN) {
                shown.add(e);
            }
        }

        String row(AssertionKinds.Kind kind, double seconds) {
            return String.format(
                    Locale.ROOT,
                    "| %s | 2 x %d | %d | %d | %d | %.0f |",
                    kind,
                    TIMES,
                    falseFailures,
                    falsePasses,
                    notMeasured,
                    seconds);
        }

        void requireNoneWrong(AssertionKinds.Kind kind) {
            if (falseFailures + falsePasses + notMeasured == 0) {
                return;
            }
            AssertionFailedError error =
                    new AssertionFailedError(
                            String.format(
                                    "%s, %d times: %d failed falsely, %d passed falsely,"
                                            + " %d were not measured",
                                    kind, TIMES, falseFailures, falsePasses, notMeasured));
            shown.forEach(error::addSuppressed);
            throw error;
        }
    }
}
