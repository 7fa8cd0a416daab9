// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.Estimate;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SiteDelta;
import io.heapsampler.SnapshotOptions;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A database and a compiler under the sampler, and a cache that leaks: {@link SessionCache}. Prints
 * who allocated most, who holds most, and what has grown, which must be the leak.
 *
 * <p>{@code Bank [seconds]}; exit status 1 if the leak was not found, 2 if nothing can be sampled.
 */
public final class Bank {

    private static final int INTERVAL = 256 * 1024;
    private static final int SECONDS = 18;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final SessionCache sessions = new SessionCache();
    private final int seconds;

    private Bank(int seconds) {
        this.seconds = seconds;
    }

    public static void main(String[] args) throws Exception {
        int seconds = SECONDS;
        if (args.length > 0) {
            if (!args[0].matches("[1-9]\\d{0,4}")) {
                System.err.println("usage: Bank [seconds]");
                System.exit(2);
            }
            seconds = Integer.parseInt(args[0]);
        }
        System.exit(new Bank(seconds).run());
    }

    private int run() throws Exception {
        try {
            HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).build());
        } catch (HeapSamplingUnavailableException e) {
            out.println(e.getMessage());
            return 2;
        }
        SamplerStatus status = HeapSampler.status();
        out.println(
                "An H2 database and javac, sampled every "
                        + Human.bytes(INTERVAL)
                        + " on average.\n"
                        + status.vmName()
                        + " "
                        + status.vmVersion()
                        + ", "
                        + status.collector());
        HeapDiff diff;
        try (BankDatabase database = new BankDatabase(sessions);
                SourceCompiler compiler = compiler().orElse(null)) {
            diff = work(database, compiler);
        }
        HeapSampler.stop();
        Report report = new Report(out);
        report.allocated(diff.later());
        report.threads(diff.later());
        report.live(diff.later());
        report.growth(diff);
        report.status(HeapSampler.status(), diff.later());
        return verdict(diff);
    }

    /** The compiler, where the JVM has one and the sources are at hand. */
    private Optional<SourceCompiler> compiler() throws Exception {
        Path sources = Path.of(System.getProperty("bank.sources", "h2-sources.jar"));
        if (ModuleLayer.boot().findModule("jdk.compiler").isEmpty()) {
            out.println("This Java runtime has no javac, so only the database runs.");
            return Optional.empty();
        }
        if (!Files.isReadable(sources)) {
            out.println("No file " + sources + " (-Dbank.sources), so only the database runs.");
            return Optional.empty();
        }
        return Optional.of(SourceCompiler.of(sources));
    }

    /** Works for a quarter of the time, looks, works for the rest, and looks again. */
    private HeapDiff work(BankDatabase database, SourceCompiler compiler) throws Exception {
        Worker teller = new Worker("teller", database::run);
        Worker javac = compiler == null ? null : new Worker("javac", compiler::compile);
        Progress progress = new Progress(out);
        HeapSnapshot before = null;
        long start = System.nanoTime();
        for (long second = 0; second < seconds; second++) {
            progress.show(second, line(second, teller, javac));
            sleepUntil(start + (second + 1) * 1_000_000_000);
            teller.check();
            if (javac != null) {
                javac.check();
            }
            if (second == seconds / 4) {
                before = HeapSampler.snapshot(SnapshotOptions.afterGc());
            }
        }
        teller.stop();
        if (javac != null) {
            javac.stop();
        }
        progress.finish(line(seconds, teller, javac));
        return HeapSampler.snapshot(SnapshotOptions.afterGc()).diff(before);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
    }

    private String line(long second, Worker teller, Worker javac) {
        return String.format(
                "%3d of %d s   %s transfers%s",
                second,
                seconds,
                Human.count(teller.done()),
                javac == null ? "" : "   " + Human.count(javac.done()) + " files compiled");
    }

    private int verdict(HeapDiff diff) {
        out.println();
        Optional<SiteDelta> first = diff.growing().stream().findFirst();
        if (first.isPresent() && first.get().stack().stream().anyMatch(Bank::isInLeak)) {
            Estimate held = first.get().laterLive().objects();
            out.println("Leak found: what grows most is allocated in SessionCache, which holds");
            out.println(
                    Human.count(sessions.size())
                            + " sessions. The samples say "
                            + Human.count(held.value())
                            + ", between "
                            + Human.count(held.low())
                            + " and "
                            + Human.count(held.high())
                            + ".");
            return 0;
        }
        out.println("FAILED: the planted leak, SessionCache, is not what grows most. First is:");
        out.println(first.map(SiteDelta::toString).orElse("nothing (see the notes above)"));
        return 1;
    }

    private static boolean isInLeak(HeapFrame frame) {
        return frame.className().equals(SessionCache.class.getName());
    }
}
