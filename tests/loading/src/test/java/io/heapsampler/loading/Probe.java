// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.DropCause;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.internal.shared.GcCalls;
import io.heapsampler.internal.shared.KeptTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Runs in a forked JVM: takes the steps that its arguments name and prints what came of them, as
 * lines {@code key=value}. The exit code is 0, or {@link #REFUSED} if a step was refused.
 */
public final class Probe {

    static final int REFUSED = 3;

    private static volatile Object sink;

    private static final Instant STARTED = Instant.now();

    private static SamplerHold hold;

    private static long memory;

    private final String prefix;

    private Probe(String prefix) {
        this.prefix = prefix;
    }

    public static void main(String[] steps) {
        int code = run("", steps);
        if (code != 0) {
            System.exit(code);
        }
    }

    /** Takes the steps; every line printed begins with the prefix. Public: called by reflection. */
    public static int run(String prefix, String... steps) {
        Probe probe = new Probe(prefix);
        int code = 0;
        for (String step : steps) {
            try {
                probe.take(step);
            } catch (HeapSamplingUnavailableException e) {
                probe.report(e);
                code = REFUSED;
            }
        }
        return code;
    }

    private void take(String step) {
        switch (step) {
            case "supported" -> say("supported", HeapSampler.unavailability() == null);
            case "start" -> start();
            case "stop" -> HeapSampler.stop();
            case "sample" -> {
                start();
                outrunTheFirstSample();
                look();
            }
            case "look" -> look();
            case "early" -> early();
            case "since" -> {
                Instant since = Objects.requireNonNull(HeapSampler.status().startedAt());
                say("since", since.isBefore(STARTED) ? "before main" : "since " + since);
            }
            case "fast" -> say("fast", HeapSampler.status().stackLookups().isFast());
            case "context" -> {
                System.load(Objects.requireNonNull(System.getProperty("sdk")));
                await(() -> !HeapSampler.status().threadContext().equals("none"));
                say("context", HeapSampler.status().threadContext());
            }
            case "state" -> say("state", HeapSampler.status().state());
            case "holders" -> say("holders", HeapSampler.status().holders());
            case "share" -> hold = HeapSampler.share("probe-" + prefix);
            case "unshare" -> hold.close();
            case "alone" -> await(() -> HeapSampler.status().holders().size() == 1);
            case "interval" -> say("interval", HeapSampler.status().interval());
            case "budget" -> say("budget", HeapSampler.status().maxOverhead());
            case "deep" -> HeapSampler.start(SamplerOptions.builder().maxDepth(1_024).build());
            case "own" -> lookForOwnFrames();
            case "left" -> say("left", left());
            case "record" -> HeapSampler.record(RecordingOptions.builder().build()).close();
            case "keep" -> KeptTables.open();
            case "gc" -> callGc();
            case "label" -> label();
            case "labels" -> say("labels", labels());
            case "memory" -> {
                memory = HeapSampler.status().memoryUsed();
                say("memory", memory);
            }
            case "freed" -> await(() -> HeapSampler.status().memoryUsed() < memory);
            default -> set(step.split("=", 2));
        }
    }

    /** Allocates with a label of this copy, which starts nothing itself. */
    private void label() {
        HeapLabels.Scope scope = HeapLabels.of("copy", prefix).open();
        say("label", scope);
        outrunTheFirstSample();
        scope.close();
    }

    private static List<String> labels() {
        return HeapSampler.snapshot().labels("copy").stream()
                .map(LabelTotals::value)
                .sorted()
                .toList();
    }

    private void callGc() {
        HeapSampler.start();
        GcCalls calls = new GcCalls();
        System.gc();
        say("gc", calls.advance() ? calls.stack().get(1) : "not seen");
        HeapSampler.stop();
    }

    /** The JVM tells the library that its class loader was collected some time later. */
    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("after 100 s: " + HeapSampler.status());
            }
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private void set(String[] property) {
        if (property[0].equals("attach")) {
            say("attached", attach(property[1].split(" ", 2)));
        } else {
            System.setProperty(property[0], property[1]);
        }
    }

    /** Has the JVM load an agent with options, as jcmd does, and returns what it answers. */
    private static Object attach(String[] agent) {
        agent[1] = '"' + agent[1] + '"'; // Else what stands behind a sign "=" is lost.
        try {
            return ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "jvmtiAgentLoad",
                            new Object[] {agent},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    private void say(String key, Object value) {
        System.out.println(prefix + key + "=" + value);
    }

    private void report(HeapSamplingUnavailableException e) {
        say("reason", e.reason());
        say("message", e.getMessage());
        say("cause", e.getCause());
        say("cause.identity", System.identityHashCode(e.getCause()));
        for (Throwable earlier : e.getSuppressed()) {
            say("suppressed", earlier);
        }
        say("state", HeapSampler.status().state());
    }

    /** What an agent has sampled; as the first step, before a class of HeapSampler's is there. */
    private void early() {
        outrunTheFirstSample();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        say("early", snapshot.totals().allocated().samples());
        say("strategy", snapshot.strategy());
    }

    /**
     * The JVM draws the distance of a thread to its first sample when the thread begins, for the
     * main thread before any agent: 512 KiB on average. It is longer than 12 MiB with a chance of
     * e<sup>-24</sup>.
     */
    private static void outrunTheFirstSample() {
        for (int i = 0; i < 192; i++) {
            sink = new byte[64 * 1024];
        }
    }

    private static void start() {
        HeapSampler.start(SamplerOptions.builder().interval(4096).build());
    }

    private void look() {
        allocate();
        say("sampled", sitesHere(HeapSampler.snapshot()));
        say("origin", HeapSampler.status().libraryOrigin());
        say("version", HeapSampler.status().libraryVersion());
    }

    private static void allocate() {
        for (int i = 0; i < 1000; i++) {
            sink = new byte[1024];
        }
    }

    private static long sitesHere(HeapSnapshot snapshot) {
        return snapshot.sites().stream()
                .filter(site -> site.stack().stream().anyMatch(Probe::isHere))
                .count();
    }

    private static boolean isHere(HeapFrame frame) {
        return frame.className().equals(Probe.class.getName())
                && frame.methodName().equals("allocate");
    }

    /** With every allocation sampled, the facade is called in all the ways that allocate. */
    private void lookForOwnFrames() {
        HeapSampler.setInterval(0);
        HeapSampler.start();
        for (int i = 0; i < 20; i++) {
            HeapSampler.snapshot();
            sink = HeapSampler.status().toString();
            HeapSampler.setInterval(i % 2);
            RecordingOptions options = RecordingOptions.builder().interval(0).build();
            try (HeapRecording recording = HeapSampler.record(options)) {
                recording.snapshot();
            }
        }
        allocate();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        say("sampled", sitesHere(snapshot));
        say("hidden", snapshot.dropped().get(DropCause.OWN) > 0);
        say("own", snapshot.sites().stream().filter(Probe::isOwn).map(HeapSite::stack).toList());
    }

    private static boolean isOwn(HeapSite site) {
        String own = HeapSampler.class.getPackageName();
        return site.stack().stream()
                .map(HeapFrame::className)
                .map(name -> name.substring(0, Math.max(0, name.lastIndexOf('.'))))
                .anyMatch(name -> name.equals(own) || name.equals(own + ".internal"));
    }

    private static List<String> left() {
        String folder =
                System.getProperty("heapsampler.tmpdir", System.getProperty("java.io.tmpdir"));
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            return files.map(Path::toString)
                    .filter(name -> name.contains("/heapsampler-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
