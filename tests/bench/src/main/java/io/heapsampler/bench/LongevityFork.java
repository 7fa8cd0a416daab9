// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Runs {@link LongevityWork} in rounds and checks the sampler on the way. Arguments: the scale; the
 * share of platform threads; for the sampler see {@link Arm}.
 */
final class LongevityFork {

    /** Rounds; the memory in the second half of them must be flat. */
    static final int ROUNDS = 24;

    private static final int INTERVAL = 1024;
    private static final int HELD = 1_000;
    private static final int HELD_LENGTH = 1_020; // 4 KiB
    private static final int ATTEMPTS = 10;
    private static final int PROBE_LENGTH = 4_096; // 16 KiB: sampled for sure
    private static final int MOST_DRAWS = 20_000;
    private static final int FIRST_PROBE = 50_000_000;
    private static final int POLL_MILLIS = 100;
    private static final long PROBE_NANOS = 2_000_000_000L;

    /** What samples while the work goes on. */
    enum Arm {
        /** HeapSampler. */
        SAMPLER,
        /** An agent that requests the stack of each sample from the JVM and keeps nothing. */
        CONTROL,
        /** Nothing. */
        WITHOUT
    }

    private static final class Early {}

    private static final class Middle {}

    private static final class Probe {}

    private final FreshClasses classes = new FreshClasses();
    private final LongevityWork work = new LongevityWork(classes);
    private final Arm arm;
    private final boolean isSampled;
    private HeldStacks early;
    private HeldStacks middle;
    private final Random random = new Random(1);
    private int probes;
    private int freshStacks;
    private double bytes; // at the end of the round before
    private double others;
    private volatile Object sink;

    private LongevityFork(Arm arm) throws IOException {
        this.arm = arm;
        this.isSampled = arm == Arm.SAMPLER;
    }

    public static void main(String[] arguments) throws Exception {
        LongevityWork.Size size =
                LongevityWork.Size.of(
                        Double.parseDouble(arguments[0]), Double.parseDouble(arguments[1]));
        new LongevityFork(Arm.valueOf(arguments[2])).run(size.of(ROUNDS));
    }

    private void run(LongevityWork.Size round) throws Exception {
        if (isSampled) {
            HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).maxOverhead(1).build());
        } else if (arm == Arm.CONTROL) {
            Native.startBare(Native.WALK, INTERVAL);
        }
        early = new HeldStacks(Early.class, () -> new Early[HELD_LENGTH], fresh(HELD));
        for (int i = 0; i < ROUNDS - 1; i++) {
            if (i == ROUNDS / 2) {
                middle = new HeldStacks(Middle.class, () -> new Middle[HELD_LENGTH], fresh(HELD));
            }
            work(round);
            if (isSampled) {
                check(HeapSampler.snapshot());
            }
        }
        last(round);
        Fork.answer("platform", work.platform());
        Fork.answer("virtual", work.virtual());
        Fork.answer("hidden", work.hidden());
        Fork.answer("stacks", work.stacks());
        Fork.answer("loaded", work.loaded());
        if (arm == Arm.CONTROL) {
            Fork.answer("samples", Native.samples());
        } else if (isSampled) {
            HeapSnapshot snapshot = HeapSampler.snapshot();
            check(snapshot);
            snapshot.notes().forEach(System.err::println);
            System.err.println(snapshot.dropped());
            System.err.println(HeapSampler.status());
            Fork.answer("samples", HeapSampler.status().samples());
            Fork.answer("memory_peak", HeapSampler.status().memoryPeak());
            Fork.answer("mismatches", HeapSampler.status().stackLookups().mismatches());
        }
    }

    private int[] fresh(int count) {
        return IntStream.range(0, count).map(i -> --freshStacks).toArray();
    }

    /** A recording sees the last round alone. */
    private void last(LongevityWork.Size round) throws Exception {
        if (!isSampled) {
            work(round);
            return;
        }
        RecordingOptions options = RecordingOptions.builder().interval(INTERVAL).build();
        try (HeapRecording recording = HeapSampler.record(options)) {
            work(round);
            HeapSnapshot snapshot = recording.snapshot();
            Fork.answer("last_samples", snapshot.totals().allocated().samples());
            Fork.answer("last_other", others(snapshot) / bytes(snapshot));
        }
    }

    private void work(LongevityWork.Size round) throws Exception {
        long began = System.nanoTime();
        LongSummaryStatistics memory = new LongSummaryStatistics();
        watch(work.beginPlatform(round), memory);
        scramble();
        watch(work.beginRest(round), memory);
        Fork.answer("seconds", (System.nanoTime() - began) / 1e9);
        Fork.answer("memory", memory.getAverage());
        Fork.answer("memory_most", memory.getMax());
        Fork.answer("ours", isSampled ? HeapSampler.status().memoryUsed() : 0);
        ProcessMemory.answer();
    }

    /**
     * Draws a random number of times from the generator of the JVM. The last thread has set it, to
     * the same as in the round before perhaps; the draws of the rounds may not be alike.
     */
    private void scramble() {
        for (int i = random.nextInt(MOST_DRAWS); i > 0; i--) {
            sink = new Probe[PROBE_LENGTH];
        }
    }

    /** Probes while the work goes on. */
    private void watch(List<Future<?>> work, LongSummaryStatistics memory) throws Exception {
        long due = System.nanoTime();
        while (!work.stream().allMatch(Future::isDone)) {
            if (isSampled && System.nanoTime() - due >= 0) {
                probeClass();
                probeStack();
                due = System.nanoTime() + PROBE_NANOS;
            }
            Thread.sleep(POLL_MILLIS);
            memory.accept(isSampled ? HeapSampler.status().memoryUsed() : 0);
        }
        for (Future<?> each : work) {
            each.get();
        }
    }

    /** Loads a class and counts the samples until its code and its class have their names. */
    private void probeClass() throws ReflectiveOperationException {
        int number = FIRST_PROBE + ++probes;
        String name = FreshClasses.name(number);
        Supplier<Object> probe = classes.probe(number);
        Fork.answer(
                "class_samples",
                samplesUntil(
                        () -> sink = probe.get(),
                        site ->
                                site.className().equals(name + "[]")
                                        && isWhole(site)
                                        && site.stack().get(0).className().equals(name)));
    }

    /** Takes a new stack of code that is known and counts the samples until it is there, whole. */
    private void probeStack() {
        int place = --freshStacks;
        StackTraceElement[][] seen = new StackTraceElement[1][];
        Fork.answer(
                "stack_samples",
                samplesUntil(
                        () ->
                                LongevityWork.onFreshStack(
                                        place,
                                        () -> {
                                            seen[0] = new Throwable().getStackTrace();
                                            sink = new Probe[PROBE_LENGTH];
                                        }),
                        site ->
                                site.className().equals(Probe.class.getName() + "[]")
                                        && isWhole(site)
                                        && isSame(site.stack(), seen[0])));
    }

    private static boolean isSame(List<HeapFrame> frames, StackTraceElement[] seen) {
        List<String> methods =
                frames.stream()
                        .filter(frame -> !frame.isHidden())
                        .map(HeapFrame::methodName)
                        .toList();
        return methods.equals(Arrays.stream(seen).map(StackTraceElement::getMethodName).toList());
    }

    private static boolean isWhole(HeapSite site) {
        List<HeapFrame> frames = site.stack();
        return !site.isTruncated()
                && !frames.isEmpty()
                && frames.get(frames.size() - 1).methodName().equals("main");
    }

    private static int samplesUntil(Runnable sample, Predicate<HeapSite> isNamed) {
        for (int i = 1; i <= ATTEMPTS; i++) {
            sample.run();
            if (HeapSampler.snapshot().sites().stream().anyMatch(isNamed)) {
                return i;
            }
        }
        return ATTEMPTS + 1;
    }

    /** Nothing else runs meanwhile, so what the program has counted is what it has allocated. */
    private void check(HeapSnapshot snapshot) {
        double newBytes = bytes(snapshot);
        double newOthers = others(snapshot);
        Fork.answer("other_added", (newOthers - others) / (newBytes - bytes));
        bytes = newBytes;
        others = newOthers;
        Fork.answer("other", others / bytes);
        z(snapshot, "platform", name(LongevityWork.PlatformMark.class), work.platform());
        if (NamedThreads.HAS_VIRTUAL) {
            z(snapshot, "virtual", name(LongevityWork.VirtualMark.class), work.virtual());
        }
        z(snapshot, "stack", name(LongevityWork.StackMark.class), work.stacks());
        z(snapshot, "hidden", FreshClasses.HIDDEN, work.hidden() * Fresh00000000.OBJECTS);
        held(snapshot, "early", early);
        if (middle != null) {
            held(snapshot, "middle", middle);
        }
    }

    private static String name(Class<?> element) {
        return element.getName() + "[]";
    }

    private static double bytes(HeapSnapshot snapshot) {
        return snapshot.totals().allocated().bytes().value();
    }

    private static double others(HeapSnapshot snapshot) {
        return snapshot.sites().stream()
                .filter(HeapSite::isOther)
                .mapToDouble(site -> site.allocated().bytes().value())
                .sum();
    }

    private static void z(HeapSnapshot snapshot, String what, String className, long objects) {
        Estimate[] estimates =
                snapshot.classes().stream()
                        .filter(each -> each.className().equals(className))
                        .map(each -> each.allocated().objects())
                        .toArray(Estimate[]::new);
        answer(what, estimates.length == 0 ? Estimate.of(0, 0, 0, 0) : estimates[0], objects);
    }

    private static void answer(String what, Estimate estimate, double objects) {
        Fork.answer(what + "_ratio", estimate.value() / objects);
        double error = estimate.standardError();
        double off = estimate.value() - objects;
        Fork.answer(what + "_z", off == 0 ? 0 : off / error);
    }

    private static void held(HeapSnapshot snapshot, String what, HeldStacks held) {
        z(snapshot, what, held.className(), held.count());
        snapshot.classes().stream()
                .filter(each -> each.className().equals(held.className()))
                .forEach(each -> answer(what + "_live", each.live().objects(), held.count()));
        var live = held.live(snapshot);
        Fork.answer(what + "_samples", live.size());
        Fork.answer(what + "_broken", held.broken(live));
    }
}
