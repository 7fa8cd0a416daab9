// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.ReportFile;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine in C. Loads the library when it is first needed. Stateless and safe for use by many
 * threads.
 */
public final class NativeEngine implements Engine {

    /** Small, so that it fits wherever the work that follows does. */
    private static final int PRIMING_CHUNK = 16 * 1024;

    /** No step of ours is longer than 18 times 4 MiB; one that another agent has set may be. */
    private static final int PRIMING_LIMIT = 256 * 1024 * 1024;

    /** Keeps the arrays of {@link #prime()} from being optimised away. */
    @SuppressWarnings("unused") // written only: that is its purpose
    private static volatile byte @Nullable [] sink;

    @Override
    public void prepare() {
        NativeLibrary.ensureLoaded();
    }

    /**
     * Keeps the tables beyond the last recording, until {@link #dropTables}, or until the class
     * loader of this class is collected. Loads the library.
     *
     * @return a number above 0; 0 if the tables cannot be kept, which costs time only
     */
    public static int keepTables() {
        NativeLibrary.ensureLoaded();
        return (int) Math.max(0, NativeBindings.keepTables());
    }

    /** Keeps the tables no longer. */
    public static void dropTables(int number) {
        NativeBindings.dropTables(number);
    }

    /**
     * Returns how many calls of {@code System.gc()} the engine has seen; 0 if no copy of these
     * classes runs one.
     */
    public static long gcCalls() {
        return NativeLibrary.joined() == null ? 0 : Math.max(0, NativeBindings.gcCalls());
    }

    /** Returns the stack of such a call, as {@link NativeBindings#gcCall} does. */
    public static @Nullable String gcCall(long number, long[] times) {
        return NativeLibrary.loaded() == null ? null : NativeBindings.gcCall(number, times);
    }

    /** Returns the process context, as {@link NativeBindings#processContext} does. */
    public static byte @Nullable [] processContext(long[] place) {
        return NativeLibrary.loaded() == null ? null : NativeBindings.processContext(place);
    }

    @Override
    public <T extends @Nullable Object> T inside(Supplier<T> work) {
        if (NativeLibrary.loaded() == null) {
            return work.get();
        }
        NativeBindings.facade(+1);
        try {
            return work.get();
        } finally {
            NativeBindings.facade(-1);
        }
    }

    @Override
    public int configure(Limits limits, SamplingStrategy strategy) {
        long terms =
                NativeBindings.configure(
                        limits.toArray(),
                        strategy.kind().ordinal(),
                        strategy.amount(),
                        VmInfo.collector().ordinal(),
                        VmInfo.bornOldBytes(),
                        VmInfo.heldBytes(),
                        VmInfo.feature(),
                        lookups());
        NativeStatus.check(terms, "set the limits");
        return (int) terms;
    }

    /** Reads how stacks are to be found, as {@link NativeBindings#configure} wants it. */
    private static int lookups() {
        boolean isOff = "off".equals(System.getProperty("heapsampler.fastStacks"));
        boolean verifiesAll = "1".equals(System.getProperty("heapsampler.verifyStacks"));
        return (isOff ? 0 : 1) + (verifiesAll ? 2 : 0);
    }

    /** Returns why stacks are not looked up; null if they are, or if there is no library yet. */
    public static @Nullable String lookupReason() {
        return NativeLibrary.loaded() == null ? null : NativeBindings.lookupReason();
    }

    @Override
    public void reportOnOom(@Nullable ReportFile inForce, ReportFile wanted, int maxHolds) {
        byte[] expected = inForce == null ? null : inForce.name();
        NativeStatus.check(
                NativeBindings.reportOnOom(expected, wanted.name(), maxHolds),
                "prepare the report on out-of-memory");
    }

    @Override
    public void endReport(ReportFile file, int maxHolds) {
        long result = NativeBindings.reportOnOom(file.name(), null, maxHolds);
        if (!NativeStatus.CHANGED.is(result) && !NativeStatus.VM_DEAD.is(result)) {
            NativeStatus.check(result, "end the report on out-of-memory");
        }
    }

    @Override
    public int open(
            int terms,
            int interval,
            long[] threadIds,
            String[] classNames,
            String[] packageNames,
            long durationNanos) {
        long handle =
                NativeBindings.open(
                        terms, interval, threadIds, classNames, packageNames, durationNanos);
        return (int) NativeStatus.check(handle, "start sampling");
    }

    @Override
    public int hold(int terms, int interval, int wish, int overhead, boolean keeps, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        int asked = overhead == 0 ? Limits.usualOverhead() : overhead;
        long hold = NativeBindings.hold(terms, interval, wish, asked, keeps, bytes);
        return (int) NativeStatus.check(hold, "start sampling");
    }

    @Override
    public boolean release(int hold, boolean keepsSamples) {
        long result =
                keepsSamples ? NativeBindings.releaseKeeping(hold) : NativeBindings.release(hold);
        return ended(result) && result > 0;
    }

    /**
     * Returns whether there was something to end; throws if it may go on. What ends with the JVM
     * has been ended. Allocates only to throw: the heap may be full.
     */
    private static boolean ended(long result) {
        if (result >= 0 || NativeStatus.VM_DEAD.is(result)) {
            return true;
        }
        if (NativeStatus.CLOSED.is(result)) {
            return false;
        }
        NativeStatus.check(result, "end sampling"); // a literal allocates at its first use
        return true;
    }

    @Override
    public InForce inForce() {
        return NativeLibrary.joined() == null
                ? InForce.NOTHING
                : InForce.of(NativeBindings.status());
    }

    @Override
    public @Nullable ReportFile reportFile() {
        byte[] name = NativeLibrary.loaded() == null ? null : NativeBindings.reportFile();
        return name == null ? null : ReportFile.named(name);
    }

    @Override
    public long @Nullable [] memoryGroup() {
        return NativeLibrary.loaded() == null ? null : NativeBindings.memoryGroup();
    }

    @Override
    public boolean pause(int handle) {
        return ended(NativeBindings.pause(handle));
    }

    @Override
    public void setInterval(int handle, int interval) {
        NativeStatus.check(NativeBindings.setInterval(handle, interval), "change the interval");
    }

    @Override
    public void reset(int handle) {
        NativeStatus.check(NativeBindings.reset(handle), "forget the samples");
    }

    @Override
    public boolean close(int handle) {
        return ended(NativeBindings.close(handle));
    }

    @Override
    public int expectCollection(int handle) {
        long number = NativeBindings.expectCollection(handle);
        NativeStatus.check(number, "expect a collection");
        return number == 0 ? AFTER_FORCED : (int) number;
    }

    @Override
    public byte[] snapshot(int handle, int after, long pauseMicros) {
        long[] result = new long[1];
        byte[] block =
                pauseMicros == 0
                        ? NativeBindings.snapshot(handle, after, null, 0, result)
                        : snapshotWithReach(handle, after, pauseMicros, result);
        NativeStatus.check(result[0], "take a snapshot");
        ThreadContexts.logIfIgnored();
        if (block == null) {
            throw new IllegalStateException(
                    "Cannot take a snapshot: the library returned none and gave no reason.");
        }
        return block;
    }

    @Override
    public byte @Nullable [] heldBy(
            int[] samples,
            int[] places,
            long[] allocatedMicros,
            long[] sizes,
            WeakReference<?>[] watched,
            long[] limits) {
        long[] result = new long[1];
        Object[] loaders = {ClassLoader.getPlatformClassLoader(), applicationLoader()};
        byte[] block =
                NativeBindings.heldBy(
                        samples, places, allocatedMicros, sizes, watched, loaders, limits, result);
        if (NativeStatus.BUSY.is(result[0])) {
            return null;
        }
        NativeStatus.check(result[0], "find holders");
        return block;
    }

    /** Null while the application loader is being made. */
    private static @Nullable ClassLoader applicationLoader() {
        try {
            return ClassLoader.getSystemClassLoader();
        } catch (IllegalStateException e) {
            Log.debug("no application class loader yet", e);
            return null;
        }
    }

    /** The referents of the probe have to be there when the library looks for them. */
    private static byte @Nullable [] snapshotWithReach(
            int handle, int after, long pauseMicros, long[] result) {
        Object softly = new Object();
        Object weakly = new Object();
        try {
            ReachProbe probe = new ReachProbe(softly, weakly);
            return NativeBindings.snapshot(handle, after, probe, pauseMicros, result);
        } finally {
            Reference.reachabilityFence(softly);
            Reference.reachabilityFence(weakly);
        }
    }

    /**
     * Allocates until the next sample point of this thread was drawn with the interval in force:
     * about as much as the interval before, because the JVM is given no interval above 4 MiB. Only
     * a step that another agent has left may be longer than {@link #PRIMING_LIMIT}.
     *
     * <p>A JVM thread draws the distance to its next sample when it takes one. After the interval
     * was changed, the old distance still stands, and an allocation made now may be missed or not
     * as the old interval would have it. Only when one sample point has passed does the new
     * interval hold for this thread. Threads that are not ours get there by themselves.
     */
    @Override
    public void prime() {
        try {
            for (int spent = 0;
                    spent < PRIMING_LIMIT && NativeBindings.primed() == 0;
                    spent += PRIMING_CHUNK) {
                sink = new byte[PRIMING_CHUNK];
            }
        } catch (OutOfMemoryError e) {
            Log.debug("the heap is too full to prime this thread", e);
        } finally {
            sink = null;
        }
    }
}
