// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.NativeEngine;
import io.heapsampler.internal.NativeLibrary;
import io.heapsampler.internal.ThreadContexts;
import io.heapsampler.internal.VmInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the sampler and of its engine at a moment. As long as the library is not loaded, the
 * figures of the engine are 0.
 *
 * <pre>{@code
 * SamplerStatus status = HeapSampler.status();
 * System.out.println(status.state() + ", " + status.memoryUsed() + " bytes of native memory");
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class SamplerStatus {

    // Positions in NativeBindings.status().
    private static final int SAMPLING = 0;
    private static final int INTERVAL_IN_FORCE = 1;
    private static final int RECORDINGS = 2;
    private static final int TRACKED = 3;
    private static final int BUDGET = 4;
    private static final int MEMORY_USED = 5;
    private static final int MEMORY_PEAK = 6;
    private static final int SAMPLES = 7;
    private static final int CALLBACK_NANOS = 8;
    private static final int CALLBACKS = 9;
    private static final int CALLBACK_MAX = 10;
    private static final int COLLECTIONS = 11;
    private static final int SWEEPS = 12;
    private static final int THINNING = 13;
    private static final int MAX_DEPTH = 14;
    private static final int LOOKUPS = 16;
    private static final int DROPS = 23;

    private final InForce engine;
    private final LastUsed used;
    private final NativeLibrary.@Nullable Loaded library;
    private final StackLookups stackLookups;

    SamplerStatus(InForce engine, LastUsed used) {
        this.engine = engine;
        this.used = used;
        this.library = NativeLibrary.loaded();
        long[] figures = engine.figures();
        this.stackLookups =
                new StackLookups(
                        figures.length > DROPS
                                ? Arrays.copyOfRange(figures, LOOKUPS, DROPS)
                                : new long[DROPS - LOOKUPS],
                        NativeEngine.lookupReason());
    }

    private long figure(int position) {
        long[] figures = engine.figures();
        return position < figures.length ? figures[position] : 0;
    }

    /** {@return the state of the process-wide sampler} */
    public SamplerState state() {
        if (engine.isRunning()) {
            return SamplerState.RUNNING;
        }
        return engine.hasRun() ? SamplerState.STOPPED : SamplerState.NEW;
    }

    /**
     * {@return the names of those who hold the process-wide sampler, in the order in which they
     * took their holds, one name for each hold; unmodifiable} It takes samples until the last of
     * them gives its hold back: {@code application} with {@link HeapSampler#stop()}, others with
     * {@link SamplerHold#stop()} or {@link SamplerHold#close()}. {@code agentpath} is the native
     * agent, which holds it until the JVM ends.
     */
    public List<String> holders() {
        return engine.holders();
    }

    /**
     * {@return since when the process-wide sampler has been running: since an application or an
     * agent started it, or since the last {@link HeapSampler#reset()}, to the microsecond; null
     * unless it is running}
     */
    public @Nullable Instant startedAt() {
        return engine.sinceMicros() == 0 ? null : HeapSample.instant(engine.sinceMicros());
    }

    /** {@return whether samples are taken, by the process-wide sampler or by a recording} */
    public boolean isSampling() {
        return figure(SAMPLING) != 0;
    }

    /** {@return by what the process-wide sampler chooses its samples, now or at the next start} */
    public SamplingStrategy strategy() {
        return used.strategy();
    }

    /**
     * {@return the interval of the process-wide sampler, now or for the next start, in bytes; 0 for
     * every allocation, and where {@link #strategy()} counts allocations}
     */
    public long interval() {
        return used.neededInterval();
    }

    /**
     * {@return the interval in force, the smallest that any recording needs, in bytes; meaningless
     * unless {@link #isSampling()}} The process-wide sampler needs a larger one than {@link
     * #interval()} while samples would cost more than {@link #maxOverhead()}.
     */
    public long intervalInForce() {
        return figure(INTERVAL_IN_FORCE);
    }

    /**
     * {@return the share of the processor time that the samples of the process-wide sampler may
     * take: the smallest that a holder requests, such as 0.01, the default}
     */
    public double maxOverhead() {
        return Limits.share(engine.maxOverhead());
    }

    /**
     * {@return the share of the processor time that the samples of the process-wide sampler took
     * lately, in the last few seconds that the process was busy; from 0 to 1; 0 while it is not
     * running, not known yet, or the interval is 0} It is the time in HeapSampler itself. The
     * collector's time for weak references and the background thread are not part of it.
     */
    public double overhead() {
        return Limits.share(engine.overhead());
    }

    /** {@return how many recordings are open, the process-wide sampler included} */
    public int recordings() {
        return (int) figure(RECORDINGS);
    }

    /** {@return how many sampled objects are tracked under weak references} */
    public long tracked() {
        return figure(TRACKED);
    }

    /** {@return how many sampled objects can be tracked} */
    public long trackedBudget() {
        return figure(BUDGET);
    }

    /** {@return the native memory in use, in bytes} */
    public long memoryUsed() {
        return figure(MEMORY_USED);
    }

    /** {@return the native memory at its highest, in bytes} */
    public long memoryPeak() {
        return figure(MEMORY_PEAK);
    }

    /** {@return how many samples were taken, whether a recording has accepted them or not} */
    public long samples() {
        return figure(SAMPLES);
    }

    /** {@return how many garbage collections were observed} */
    public long collections() {
        return figure(COLLECTIONS);
    }

    /** {@return how often the tracked objects were looked through} */
    public long sweeps() {
        return figure(SWEEPS);
    }

    /**
     * {@return the thinning level: a candidate for tracking is kept with a chance of 1 in
     * 2<sup>level</sup>; 0 or more; 0 while the budget was never reached}
     */
    public int thinning() {
        return (int) figure(THINNING);
    }

    /** {@return how many frames of a stack are kept at most} */
    public int maxDepth() {
        return (int) figure(MAX_DEPTH);
    }

    /**
     * {@return the mean processor time that a sample takes on the thread that is sampled, over
     * those that were measured: up to 64 in each half second, to the nanosecond; zero if none was
     * measured}
     */
    public Duration meanSampleCost() {
        long count = figure(CALLBACKS);
        return count == 0 ? Duration.ZERO : Duration.ofNanos(figure(CALLBACK_NANOS) / count);
    }

    /**
     * {@return the maximum processor time measured for a sample, to the nanosecond; zero if none
     * was measured}
     */
    public Duration maxSampleCost() {
        return Duration.ofNanos(figure(CALLBACK_MAX));
    }

    /** {@return how the stacks of samples were found, and whether a fast way is open} */
    public StackLookups stackLookups() {
        return stackLookups;
    }

    /**
     * {@return for people, whether samples get the trace and the labels that a tracing SDK shares
     * for each thread (OpenTelemetry, OTEP 4947): {@code none} if no library shares them, as long
     * as nothing is sampled, {@code read}, or {@code ignored} and why} The text may change.
     */
    public String threadContext() {
        return ThreadContexts.text(figure(ThreadContexts.FIGURE));
    }

    /**
     * {@return what was dropped, folded or shortened since the limits were set, by all recordings
     * together: each cause with its count, 0 included; unmodifiable}
     */
    public Map<DropCause, Long> dropped() {
        Map<DropCause, Long> counts = new EnumMap<>(DropCause.class);
        for (DropCause cause : DropCause.values()) {
            counts.put(cause, figure(DROPS + cause.ordinal()));
        }
        return Collections.unmodifiableMap(counts);
    }

    /** {@return the name of this JVM, such as {@code OpenJDK 64-Bit Server VM}} */
    public String vmName() {
        return VmInfo.name();
    }

    /** {@return the version of this JVM, such as {@code 17.0.15+6}} */
    public String vmVersion() {
        return VmInfo.version();
    }

    /** {@return the garbage collector of this JVM} */
    public GarbageCollector collector() {
        return VmInfo.collector();
    }

    /**
     * {@return the version of the native library, such as {@code 0.1.0}; null if it is not loaded}
     */
    public @Nullable String libraryVersion() {
        return library == null ? null : library.version();
    }

    /**
     * {@return where the native library was loaded from: a file or a description; null if it is not
     * loaded}
     */
    public @Nullable String libraryOrigin() {
        return library == null ? null : library.origin();
    }

    /** {@return the status on one line, for people, not for programs} */
    @Override
    public String toString() {
        return state()
                + (holders().isEmpty() ? "" : " for " + String.join(", ", holders()))
                + (strategy().isByBytes() ? "" : ", " + strategy())
                + ", interval "
                + interval()
                + " (in force "
                + intervalInForce()
                + "), recordings "
                + recordings()
                + ", samples "
                + samples()
                + " at "
                + meanSampleCost().toNanos()
                + " ns (at most "
                + maxSampleCost().toNanos()
                + " ns), overhead "
                + overhead()
                + " of "
                + maxOverhead()
                + ", tracked "
                + tracked()
                + " of "
                + trackedBudget()
                + ", native memory "
                + memoryUsed()
                + " bytes (at most "
                + memoryPeak()
                + "), stacks "
                + stackLookups
                + ", thread context "
                + threadContext()
                + ", "
                + collections()
                + " collections of "
                + collector()
                + ", "
                + vmName()
                + " "
                + vmVersion()
                + ", library "
                + (library == null
                        ? "not loaded"
                        : library.version() + " from " + library.origin());
    }
}
