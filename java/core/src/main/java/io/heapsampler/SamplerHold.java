// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.shared.ReportFile;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A hold of the process-wide sampler, which takes samples until its last hold is closed. A library
 * or a tool takes one with {@link HeapSampler#share}.
 *
 * <pre>{@code
 * try (SamplerHold hold = HeapSampler.share("nightly-report")) {
 *     work();
 *     System.out.println(HeapSampler.snapshot().topByLive(5));
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class SamplerHold implements AutoCloseable {

    /** The name of the hold that {@link HeapSampler#start()} takes. */
    static final String APPLICATION = "application";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,31}");

    private final ProcessSampler sampler;
    private final String name;
    private final boolean keepsSamples;

    /** The number of the engine; 0 while closed. Written under the lock of the sampler. */
    private volatile int id;

    /** The report on out-of-memory that it has requested. Guarded by the lock of the sampler. */
    private @Nullable ReportFile report;

    /** The report near a limit that it has requested last. Guarded by the lock of the sampler. */
    private @Nullable NearLimit nearLimit;

    SamplerHold(ProcessSampler sampler, String name, boolean keepsSamples) {
        this.sampler = sampler;
        this.name = name;
        this.keepsSamples = keepsSamples;
    }

    /** Checks the name of a hold that is shared. */
    static String checkName(String name) {
        if (!NAME.matcher(Objects.requireNonNull(name, "name")).matches()) {
            throw new IllegalArgumentException(
                    "A holder's name must have 1 to 31 letters, digits, dots, hyphens or"
                            + " underscores, but is \""
                            + name
                            + "\".");
        }
        if (name.equals(APPLICATION)) {
            throw new IllegalArgumentException(
                    "The name \"application\" is reserved for HeapSampler.start(). Use the name of"
                            + " your library or tool.");
        }
        return name;
    }

    /** {@return the name of the holder} */
    public String name() {
        return name;
    }

    /** {@return whether this hold is open; false once it is closed or stopped} */
    public boolean isOpen() {
        return id != 0;
    }

    /**
     * Releases the hold and keeps the samples until the next {@link HeapSampler#reset()}, as {@link
     * HeapSampler#stop()} does for the application. A report on out-of-memory that this hold has
     * requested also stays until then, and one near a limit ends. Other holders are not affected.
     * Sampling ends with the last hold. Does nothing if the hold is closed already. Works on a full
     * heap.
     */
    public void stop() {
        sampler.stop(this);
    }

    /**
     * Releases the hold. Other holders are not affected. Sampling ends with the last hold. The
     * samples stay if the application has started the sampler, or a holder has called {@link
     * #stop()}, since the last {@link HeapSampler#reset()}; otherwise they are forgotten, and their
     * memory is freed. A second call does nothing.
     *
     * <p>A report near a memory limit ends with the last hold that has requested it. A report on
     * out-of-memory that this hold has requested ends, unless another holder may rely on it: one
     * that has requested the same file, or one of another copy of these classes. If the samples are
     * forgotten, any report ends.
     *
     * <p>Works on a full heap. Only the end of a report needs memory then: if an {@link
     * OutOfMemoryError} is thrown, the hold is closed and the report stays.
     */
    @Override
    public void close() {
        sampler.release(this);
    }

    /** Returns whether the samples stay after the last hold. */
    boolean keepsSamples() {
        return keepsSamples;
    }

    int id() {
        return id;
    }

    void opened(int number, @Nullable ReportFile file) {
        id = number;
        report = file;
    }

    void closed() {
        id = 0;
    }

    @Nullable ReportFile report() {
        return report;
    }

    void setReport(ReportFile file) {
        report = file;
    }

    @Nullable NearLimit nearLimit() {
        return nearLimit;
    }

    void setNearLimit(@Nullable NearLimit wanted) {
        nearLimit = wanted;
    }

    @Override
    public String toString() {
        return "SamplerHold (" + (isOpen() ? "open" : "closed") + ", " + name + ")";
    }
}
