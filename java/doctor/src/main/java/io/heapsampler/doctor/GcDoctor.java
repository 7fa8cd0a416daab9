// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import io.heapsampler.HeapSampler;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the garbage collection of this JVM and diagnoses its problems, with their causes, the
 * evidence for them, and the evidence against them.
 *
 * <pre>{@code
 * try (GcDoctor doctor = GcDoctor.start()) {
 *     serve();
 *     System.out.println(doctor.diagnosis());
 * }
 * }</pre>
 *
 * <p>One thread reads the state of the JVM once a second; the collectors send notifications. The
 * doctor forces no collection. It reads the JVM's log only while something looks wrong ({@link
 * DoctorOptions.Builder#jvmLog}), and searches holders only for findings about live memory ({@link
 * DoctorOptions.Builder#holders}). Its history is bounded: a day, coarser as it gets older.
 *
 * <p>All doctors of a JVM (for each class loader that has this class) share one watch, with the
 * options of the first. The watch ends when the last of them is closed. So each caller of {@link
 * #start()} closes its own doctor and ends nothing that another uses. All methods are safe for use
 * by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class GcDoctor implements AutoCloseable {

    /** Guards all fields but {@code watch}; also held while a watch begins. */
    private static final Object LOCK = new Object();

    private static @Nullable JvmWatch running;

    /** The doctors for which the watch goes on. */
    private static final Set<GcDoctor> USERS = new HashSet<>();

    private final JvmWatch watch;

    private boolean isClosed;

    private GcDoctor(JvmWatch watch) {
        this.watch = watch;
    }

    /**
     * Starts a doctor with the defaults of {@link DoctorOptions}. If one is running, it shares the
     * watch of that, with whatever options that has.
     *
     * @return a doctor, to be closed
     * @throws UnsupportedOperationException if this runtime lacks the module jdk.management
     */
    public static GcDoctor start() {
        return start(DoctorOptions.builder().build(), true);
    }

    /**
     * Starts a doctor. If one is running with the same options, it shares the watch of that.
     *
     * @param options its options
     * @return a doctor, to be closed
     * @throws IllegalStateException if one is running with other options; the message names them
     * @throws UnsupportedOperationException if this runtime lacks the module jdk.management
     */
    public static GcDoctor start(DoctorOptions options) {
        return start(Objects.requireNonNull(options, "options"), false);
    }

    private static GcDoctor start(DoctorOptions options, boolean isAny) {
        if (ModuleLayer.boot().findModule("jdk.management").isEmpty()) {
            throw new UnsupportedOperationException(TableRule.note("management"));
        }
        if (options.values.sampling()) {
            HeapSampler.unavailability(); // Loads the library, which takes time, without the lock.
        }
        synchronized (LOCK) {
            if (running == null) {
                running = JvmWatch.begin(options);
            } else if (!isAny && !running.options.equals(options)) {
                throw new IllegalStateException(TableRule.note("options", running.options));
            }
            GcDoctor doctor = new GcDoctor(running);
            USERS.add(doctor);
            return doctor;
        }
    }

    /**
     * Returns a view of the running doctor. It does not keep the doctor running: {@link #close()}
     * of the view only takes away the listeners that were added to the view.
     *
     * @return the view; null if no doctor is running
     */
    public static @Nullable GcDoctor running() {
        synchronized (LOCK) {
            return running == null ? null : new GcDoctor(running);
        }
    }

    /** {@return the options of the doctor that was started first} */
    public DoctorOptions options() {
        return watch.options;
    }

    /** For tests: the last day; after the last doctor was closed, it ends at that time. */
    Timeline timeline() {
        return watch.timeline();
    }

    /**
     * Judges the timeline up to now, on the calling thread. Takes a snapshot of the sampler if the
     * last one is older than a second; forces no collection. After the last doctor was closed, the
     * timeline up to that time is judged.
     *
     * @return the findings, the rules that did not fire, and notes on the figures
     */
    public Diagnosis diagnosis() {
        return watch.diagnosis();
    }

    /**
     * Judges as {@link #diagnosis()} does, for the last time before the JVM or the watch ends. A
     * warning about a leak that waits for a search, which might show that the objects are only
     * softly reachable, is in this diagnosis as a warning. From then on it waits no longer.
     *
     * @return the findings, the rules that did not fire, and notes on the figures
     */
    public Diagnosis finalDiagnosis() {
        return watch.finalDiagnosis();
    }

    /**
     * Adds a listener for findings that open. A finding opens if it was absent two minutes ago, or
     * has become more severe, or if the holders of its objects have been found. The watching thread
     * calls the listeners one after the other, some seconds after the fact. While a slow listener
     * runs, the timeline is coarser. Exceptions of a listener are logged. Does nothing if this
     * doctor, or the last doctor, is closed.
     *
     * @param listener the listener, which is called until this doctor is closed
     * @return close it to remove the listener
     */
    public Subscription addListener(Consumer<Finding> listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (LOCK) {
            boolean isLate = isClosed || running != watch;
            return isLate ? () -> {} : watch.findings.add(this, listener)::run;
        }
    }

    /** A listener that has been added. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        /** Takes the listener away. Does nothing the second time. */
        @Override
        void close();
    }

    /**
     * Closes this doctor and removes its listeners. With the last doctor the watch ends and
     * releases its hold of the sampler. The sampler continues while other callers hold it. Does
     * nothing the second time.
     */
    @Override
    public void close() {
        boolean isLast;
        synchronized (LOCK) {
            isClosed = true;
            isLast = USERS.remove(this) && USERS.isEmpty();
            if (isLast) {
                running = null;
            }
        }
        watch.findings.removeOf(this);
        if (isLast) {
            watch.close();
        }
    }
}
