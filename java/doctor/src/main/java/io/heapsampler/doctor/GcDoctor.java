// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.internal.sites.CloserLook;
import io.heapsampler.doctor.internal.sites.SiteWatch;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.doctor.internal.watch.CollectorListener;
import io.heapsampler.doctor.internal.watch.Findings;
import io.heapsampler.doctor.internal.watch.Paced;
import io.heapsampler.doctor.internal.watch.Pools;
import io.heapsampler.doctor.internal.watch.RecorderWatch;
import io.heapsampler.doctor.internal.watch.Rehearsal;
import io.heapsampler.doctor.internal.watch.Scene;
import io.heapsampler.doctor.internal.watch.SettingsReader;
import io.heapsampler.doctor.internal.watch.TickReader;
import io.heapsampler.doctor.internal.watch.Ticks;
import io.heapsampler.doctor.internal.watch.Watcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the garbage collection of this JVM and says what is wrong with it, who causes it, and
 * what speaks against it.
 *
 * <pre>{@code
 * try (GcDoctor doctor = GcDoctor.start()) {
 *     serve();
 *     System.out.println(doctor.diagnosis());
 * }
 * }</pre>
 *
 * <p>One thread looks at the JVM once a second; collectors tell of themselves. No collection is
 * forced and no log is read. What is remembered is bounded, see {@link Timeline}.
 *
 * <p>There is at most one doctor in a JVM (for each class loader that has this class). All methods
 * are safe for use by many threads.
 */
public final class GcDoctor implements AutoCloseable {

    private static final Object LOCK = new Object();

    /** Guarded by LOCK. */
    private static @Nullable GcDoctor running;

    /** How often it may be looked for findings, and how much of a processor that may cost. */
    private static final long JUDGE_MILLIS = 5_000;

    private static final double JUDGE_SHARE = 0.001;

    /** The same for snapshots of the sampler. */
    private static final long SNAPSHOT_MILLIS = 10_000;

    private static final double SNAPSHOT_SHARE = 0.002;

    /** The share of the limit of metaspace from which on there is no room in it. */
    private static final double FULL = 0.95;

    /** Clocks that are set, and machines that have slept, are off by more. */
    private static final long SET_MILLIS = 1_000;

    private final DoctorOptions options;
    private final History history = new History();
    private final VmClock clock = new VmClock();
    private final JvmSettings settings = SettingsReader.read(HeapSampler.status().collector());
    private final CollectorListener collectors;
    private final TickReader reader;
    private final Ticks ticks;
    private final SiteWatch sites = new SiteWatch(history, clock, () -> timeline(0));
    private final CloserLook closerLook;
    private final RecorderWatch recorder;
    private final Findings findings = new Findings();
    private final Watcher watcher;

    /** Used by the watching thread only. */
    private boolean rehearsed;

    /** Guarded by LOCK. */
    private boolean closed;

    private GcDoctor(DoctorOptions options) {
        this.options = options;
        this.recorder = new RecorderWatch(history, clock, settings, options.slo());
        this.closerLook =
                new CloserLook(options.sampling() ? options.costBudget() : 0, sites.sites());
        Pools pools = Pools.ofThisJvm();
        this.collectors = new CollectorListener(pools, clock, history, recorder::heard);
        this.reader = new TickReader(pools, clock);
        this.ticks = new Ticks(reader::read, reader::readBare, history, this::seen);
        this.watcher =
                new Watcher(
                        ticks,
                        this::record,
                        new Paced(sites::look, SNAPSHOT_MILLIS, SNAPSHOT_SHARE),
                        this::rehearse,
                        new Paced(this::judge, JUDGE_MILLIS, JUDGE_SHARE));
    }

    /**
     * Starts a doctor with the defaults of {@link DoctorOptions}, or returns the one that is
     * running, whatever its options.
     *
     * @return the doctor of this JVM
     */
    public static GcDoctor start() {
        synchronized (LOCK) {
            return running != null ? running : start(DoctorOptions.builder().build());
        }
    }

    /**
     * Starts a doctor, or returns the one that is running with the same options.
     *
     * @param options what it may do
     * @return the doctor of this JVM
     * @throws IllegalStateException if one is running with other options; the message names them
     * @throws IllegalArgumentException if {@link DoctorOptions#heapDumpOn()} has what is no finding
     */
    public static GcDoctor start(DoctorOptions options) {
        Objects.requireNonNull(options, "options");
        requireFindings(options.heapDumpOn());
        synchronized (LOCK) {
            GcDoctor doctor = running;
            if (doctor != null && !doctor.options.equals(options)) {
                throw new IllegalStateException(
                        "A doctor is running in this JVM with other options: "
                                + doctor.options
                                + ". Close it first, or use the one that GcDoctor.running()"
                                + " returns.");
            }
            if (doctor == null) {
                doctor = new GcDoctor(options);
                doctor.beginOrClose();
                running = doctor;
            }
            return doctor;
        }
    }

    private static void requireFindings(Set<String> wanted) {
        for (String id : wanted) {
            if (!Rules.ids().contains(id)) {
                throw new IllegalArgumentException(
                        "heapDumpOn: no finding is called \""
                                + id
                                + "\"; there are "
                                + String.join(", ", Rules.ids())
                                + ".");
            }
        }
    }

    /**
     * Returns the doctor of this JVM.
     *
     * @return the one that is running, null if there is none
     */
    public static @Nullable GcDoctor running() {
        synchronized (LOCK) {
            return running;
        }
    }

    /** What has begun is ended where the rest cannot begin. */
    private void beginOrClose() {
        try {
            begin();
        } catch (RuntimeException | Error e) {
            try {
                close();
            } catch (RuntimeException | Error later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }

    private void begin() {
        collectors.listen();
        if (options.sampling()) {
            sites.begin();
        }
        if (options.preserveTo() != null) {
            findings.add(new Scene(options.preserveTo(), options.heapDumpOn(), this::timeline));
        }
        ticks.run();
        watcher.start();
    }

    private void record() {
        if (options.flightRecorder()) {
            recorder.look(clock.now());
        }
    }

    private void seen(Tick tick) {
        recorder.seen(tick);
        boolean isFull = tick.metaspaceCommitted() > FULL * settings.maxMetaspace();
        collectors.metaspace(isFull && collectors.isStorm());
    }

    /** The first duty that takes its time: until then there is nothing to be judged. */
    private void rehearse() {
        if (!rehearsed) {
            rehearsed = true;
            try {
                Rehearsal.run(timeline(), new SiteHistory(sites.sites()), diagnosis());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void judge() {
        Timeline timeline = timeline();
        Diagnosis judged = Rules.judge(timeline, new SiteHistory(sites.sites()), options.slo());
        findings.update(judged, clock.now());
        closerLook.update(judged.findings(), timeline, clock.now());
    }

    private Diagnosis judged() {
        return Rules.judge(timeline(), new SiteHistory(sites.sites()), options.slo());
    }

    /**
     * Returns the options.
     *
     * @return as they were given at the start
     */
    public DoctorOptions options() {
        return options;
    }

    /**
     * Returns what has been seen so far. After {@link #close()} that is what had been seen until
     * then.
     *
     * <p>Times are those of the wall clock as it is now. If it was set meanwhile, or the machine
     * has slept, the same collection has another time than it had before; order and distances stay
     * what they were.
     *
     * @return the last day, see {@link Timeline}
     */
    public Timeline timeline() {
        return timeline(wasSet() ? clock.ahead() : 0);
    }

    private Timeline timeline(long ahead) {
        return history.timeline(settings, collectors.counts(), ahead);
    }

    private boolean wasSet() {
        return Math.abs(clock.ahead()) >= SET_MILLIS;
    }

    /**
     * Judges what has been seen so far, on the calling thread. Takes a snapshot of the sampler if
     * the last one is older than a second; forces no collection. After {@link #close()} what had
     * been seen until then is judged.
     *
     * @return what was found, what was looked for in vain, and what limits both
     */
    public Diagnosis diagnosis() {
        sites.refresh();
        Diagnosis judged = judged();
        List<String> notes = new ArrayList<>(judged.notes());
        notes.addAll(notes());
        return judged.withNotes(notes);
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (sites.problem() != null) {
            notes.add("No sites: " + sites.problem());
        }
        notes.addAll(closerLook.notes());
        if (!options.flightRecorder()) {
            notes.add(
                    "Flight Recorder is not opened, because it takes memory that the process keeps"
                            + " (DoctorOptions.flightRecorder(true), agent option"
                            + " doctor.flight.recorder=true). Callers of System.gc(), definers of"
                            + " classes, the length of stalls and the phases of pauses are not"
                            + " known.");
        }
        if (recorder.problem() != null) {
            notes.add(
                    "Flight Recorder is not listened to ("
                            + recorder.problem()
                            + "): nothing tells callers of System.gc(), stalls and phases.");
        }
        if (wasSet()) {
            notes.add(
                    "The clock of this machine was set by "
                            + Text.span((double) Math.abs(clock.ahead()))
                            + ", or the machine has slept, since the doctor began. All times here"
                            + " are those of the clock as it is now.");
        }
        notes.addAll(ticks.notes());
        if (watcher.interrupts() > 0) {
            notes.add(
                    "The doctor's thread was interrupted "
                            + Text.count(watcher.interrupts(), "time", "times")
                            + " and went on. Only close() ends the doctor.");
        }
        if (watcher.failures() > 0) {
            notes.add(
                    Text.count(watcher.failures(), "look", "looks")
                            + " at the JVM, or at what was seen, failed, the last one with "
                            + watcher.lastFailure()
                            + ": what would have been told then is missing.");
        }
        return notes;
    }

    /**
     * Calls somebody when a finding opens: one that was not there two minutes ago, or has become
     * more severe. Calls come from the watching thread, one after the other, some seconds after the
     * fact; a listener that takes long makes the timeline coarse meanwhile. What a listener throws
     * is logged.
     *
     * @param listener what is called
     * @return to be closed when no more calls are wanted
     */
    public Subscription addListener(Consumer<Finding> listener) {
        Runnable removal = findings.add(Objects.requireNonNull(listener, "listener"));
        return removal::run;
    }

    /** A listener that has been added. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        /** Takes the listener away. Does nothing the second time. */
        @Override
        void close();
    }

    /**
     * Ends the watching, for all that use this doctor. If the doctor has started the sampler, it is
     * stopped, and forgets its samples unless it had some before. An application that samples as
     * well starts the sampler first, so that it stays. Does nothing the second time.
     */
    @Override
    public void close() {
        synchronized (LOCK) {
            if (running == this) {
                running = null;
            }
            if (closed) {
                return;
            }
            closed = true;
            sites.close(); // Whoever starts the next doctor finds the sampler as it will be.
        }
        List<Runnable> parts =
                List.of(
                        collectors::close,
                        watcher::close,
                        recorder::close,
                        closerLook::close,
                        reader::close);
        RuntimeException failure = null;
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException e) {
                failure = e; // The others are closed all the same.
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
