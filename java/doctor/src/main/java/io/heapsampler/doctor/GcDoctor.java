// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapSampler;
import java.util.Objects;
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

    private final DoctorOptions options;
    private final History history = new History();
    private final VmClock clock = new VmClock();
    private final JvmSettings settings = SettingsReader.read(HeapSampler.status().collector());
    private final CollectorListener collectors;
    private final Watcher watcher;

    private GcDoctor(DoctorOptions options) {
        this.options = options;
        Pools pools = Pools.ofThisJvm();
        this.collectors = new CollectorListener(pools, clock, history);
        this.watcher = new Watcher(new TickReader(pools, clock), history);
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
     */
    public static GcDoctor start(DoctorOptions options) {
        Objects.requireNonNull(options, "options");
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
                doctor.begin();
                running = doctor;
            }
            return doctor;
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

    private void begin() {
        collectors.listen();
        watcher.start();
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
     * @return the last day, see {@link Timeline}
     */
    public Timeline timeline() {
        return history.timeline(settings, collectors.counts());
    }

    /** Ends the watching, for all that use this doctor. Does nothing the second time. */
    @Override
    public void close() {
        synchronized (LOCK) {
            if (running == this) {
                running = null;
            }
        }
        collectors.close();
        watcher.close();
    }
}
