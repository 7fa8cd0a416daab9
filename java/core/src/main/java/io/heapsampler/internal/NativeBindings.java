// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import org.jspecify.annotations.Nullable;

/**
 * Every {@code native} method of the project, bound by {@code JNI_OnLoad} with {@code
 * RegisterNatives}.
 *
 * <p>Methods that return {@code long} return 0 or more for success and a negative number for
 * failure: {@code -(status + (jvmtiError << 16))}, with {@code status} from {@link NativeStatus}.
 * They throw nothing and are safe from any thread; those that change something queue behind each
 * other. Arguments are checked by the facade before they come here.
 */
final class NativeBindings {

    /**
     * Raised whenever a signature or the meaning of an argument changes; the library must answer
     * the same number.
     */
    static final int ABI = 13;

    private NativeBindings() {}

    /** Returns the ABI number compiled into the library. */
    static native int abi();

    /** Returns the version of the library, such as {@code 0.1.0}. */
    static native String version();

    /** Returns the English text of a status code, or null for a number that is none. */
    static native @Nullable String statusText(int status);

    /**
     * Sets the limits and the strategy, and says which VM this is. Refused with {@code BUSY} while
     * a recording exists. Returns the number of these terms, above 0; as soon as other terms are
     * set, it opens nothing any more.
     *
     * @param limits in this order: frames per stack, tracked samples, stacks, names, sites,
     *     threads, dead samples
     * @param strategy ordinal of {@link io.heapsampler.SamplingStrategy.Kind}
     * @param amount allocations from one sample to the next, or microseconds; unused for bytes
     * @param collector ordinal of {@link io.heapsampler.GarbageCollector}
     * @param bornOldBytes size from which an object may be born in the old generation; 0 for none
     * @param heldBytes garbage that tracked objects may keep in the heap; 0 where they keep none
     * @param feature Java feature version, such as 17
     * @param lookups sum of 1 (stacks may be looked up) and 2 (each lookup is checked); counts in
     *     the first call only
     */
    static native long configure(
            int[] limits,
            int strategy,
            long amount,
            int collector,
            long bornOldBytes,
            long heldBytes,
            int feature,
            int lookups);

    /** Returns why stacks are not looked up; null if they are. */
    static native @Nullable String lookupReason();

    /**
     * Opens a recording and starts sampling for it. Refused with {@code CHANGED} when the terms are
     * no longer those.
     *
     * @param terms the number that {@link #configure} or {@link #status} gave
     * @param interval bytes, 0 for every allocation
     * @param threadIds only these threads; empty for all
     * @param classNames only objects of these classes (Java names); with {@code packageNames}
     *     empty: all
     * @param packageNames only objects of classes in or below these packages
     * @param durationNanos how long samples are accepted; 0 for no end
     * @return a handle above 0
     */
    static native long open(
            int terms,
            int interval,
            long[] threadIds,
            String[] classNames,
            String[] packageNames,
            long durationNanos);

    /**
     * Takes a hold of the process-wide sampler, which accepts samples of all threads and classes
     * while there is one, at the smallest interval that a holder requests. Refused with {@code
     * FULL} where 32 are held, and as {@link #open}.
     *
     * @param interval bytes, if it takes no samples yet
     * @param wish bytes, the interval that this holder requests; the largest number for none
     * @param overhead share of the processor time, in parts per million, that this holder allows
     *     sampling to take; 0 for no wish; the smallest of all holders is in force, 10,000 if there
     *     is none
     * @param keeps whether the samples stay after the last hold
     * @param name up to 31 characters of ASCII
     * @return a number above 0
     */
    static native long hold(
            int terms, int interval, int wish, int overhead, boolean keeps, byte[] name);

    /**
     * Gives a hold back. Refused with {@code CLOSED} where there is no such hold.
     *
     * @return 1 when it was the last one and the samples are forgotten, else 0
     */
    static native long release(int hold);

    /** As {@link #release}, but the samples stay as if the hold had been taken that way. */
    static native long releaseKeeping(int hold);

    /** Accepts no more samples for this recording; its data stay. */
    static native long pause(int handle);

    /** Changes the interval of a recording, running or paused. */
    static native long setInterval(int handle, int interval);

    /** Forgets the samples of a recording; it stays open. */
    static native long reset(int handle);

    /** Ends a recording and forgets its samples. */
    static native long close(int handle);

    /**
     * Keeps the tables beyond the last recording, until {@link #dropTables}, or until this class is
     * collected. Refused with {@code FULL} where 32 keep them.
     *
     * @return a number above 0
     */
    static native long keepTables();

    /** Keeps the tables no longer. */
    static native void dropTables(int number);

    /**
     * Prepares for a full collection that the caller is about to have the JVM make before a
     * snapshot of this recording.
     *
     * @return a number for {@link #snapshot}; 0 if that has to force a collection
     */
    static native long expectCollection(int handle);

    /**
     * Encodes a snapshot of one recording, as {@code native/doc/snapshot-format.md} describes it.
     *
     * @param after the collection that comes before: {@link Engine#AFTER_NONE}, {@link
     *     Engine#AFTER_FORCED}, or the number of an expected one that has begun and ended since
     * @param probe a {@link ReachProbe}, whose referents live on; null: how objects are reachable
     *     is not asked
     * @param pauseMicros the longest pause to find that out
     * @param result one element, which receives 0 or the failure
     * @return the block; null on failure
     */
    static native byte @Nullable [] snapshot(
            int handle, int after, @Nullable Object probe, long pauseMicros, long[] result);

    /** Makes all soft references look unused for years; 0 or the failure. */
    static native long ageSoftReferences();

    /**
     * Returns how many calls of {@code System.gc()} were seen, the number of the next one. Calls
     * are seen if the first one of this JVM comes after the library was loaded.
     */
    static native long gcCalls();

    /**
     * Returns the stack of a call, which is kept until 64 others have followed: a frame a line,
     * leaf first, as {@code Class.method:line}, or without a line. Null if the call is gone, or not
     * yet made.
     *
     * @param times receives how many microseconds ago the call began, and how many it took
     */
    static native @Nullable String gcCall(long number, long[] times);

    /**
     * Finds out which references keep objects alive; see {@link Engine#heldBy}. Returns the block,
     * or null where {@code result[0]} is below 0: {@code BUSY} while another call goes on.
     *
     * @param watched objects of {@link java.lang.ref.WeakReference}
     * @param loaders the platform class loader and the application's
     */
    static native byte @Nullable [] heldBy(
            int[] samples,
            int[] places,
            long[] allocatedMicros,
            long[] sizes,
            Object[] watched,
            @Nullable Object[] loaders,
            long[] limits,
            long[] result);

    /**
     * Returns the class loaders of the process, each once. Objects that died since the last
     * collection may be among them. Null where {@code result[0]} is below 0.
     */
    static native ClassLoader @Nullable [] classLoaders(long[] result);

    /**
     * Returns the classes that a loader has defined, and others that it has only found. Null where
     * {@code result[0]} is below 0.
     */
    static native Class<?> @Nullable [] classesOf(ClassLoader loader, long[] result);

    /**
     * Returns the state of the engine, without waiting: while another thread changes something or
     * takes a snapshot, it is the state before that, except for the counters.
     *
     * <p>First figures: sampling (0 or 1); interval in force; recordings open; samples tracked;
     * budget of tracked samples; native bytes in use; native bytes at their highest; sampled
     * allocations seen; time spent in measured callbacks (ns); callbacks measured; longest callback
     * measured (ns); collections observed; sweeps; thinning level; frames per stack; how thread
     * contexts of OpenTelemetry are read; stacks are looked up (0 or 1); stacks known, composed,
     * queried, unwalkable; lookups verified, mismatches; then the drops, one per {@link
     * io.heapsampler.DropCause}.
     *
     * <p>Then 18 values in force: recordings open; handle of the process-wide sampler (0: none);
     * whether it takes samples; its interval; since when (µs since 1970, 0: not at all); strategy
     * and amount, as in {@link #configure}; the limits, in the same order; the number of these
     * terms; whether it was ever started; the share of the processor time that its sampling may
     * take and the share that it took lately, in parts per million.
     *
     * <p>Last the number of holders, and room for the bytes of 32 names in 4 numbers each.
     */
    static native long[] status();

    /**
     * Has the top live sites written to a file, once, when the JVM runs out of memory. Refused with
     * {@code CHANGED} unless the file in force is the expected one and there are few enough holds.
     *
     * @param expected the file in force, as {@link #reportFile} gave it; null for none
     * @param path the file, in the encoding of the system; null for no longer
     * @param maxHolds how many holds of the process-wide sampler there may be
     */
    static native long reportOnOom(
            byte @Nullable [] expected, byte @Nullable [] path, int maxHolds);

    /** Returns the file that {@link #reportOnOom} or an agent has named; null if there is none. */
    static native byte @Nullable [] reportFile();

    /**
     * Returns the bytes in use and the limit of the fullest memory group; null if there is none.
     */
    static native long @Nullable [] memoryGroup();

    /**
     * Returns 1 when the next sample point of this thread was drawn with the interval in force,
     * else 0.
     */
    static native int primed();

    /**
     * Marks that this process is inside the facade (+1) or has left it (-1): stacks are then walked
     * deep enough to tell.
     */
    static native void facade(int change);

    /**
     * Adds a set of labels, which threads may then {@linkplain #openLabels open}. Each call adds
     * one, to be removed once, even if there is an equal set.
     *
     * @param bytes {@code key 0 value 0 key 0 value 0 ...}, modified UTF-8, sorted by the bytes of
     *     the keys: 1 to 16 different keys of 1 to 192 bytes, values of 1 to 768 bytes
     * @return the word, above 1; {@code FULL} where there are 4,094 sets or 2 MiB of them, {@code
     *     INVALID} for other bytes than these
     */
    static native long addLabels(byte[] bytes);

    /** Removes a set; threads that have it open have no labels from then on. */
    static native void removeLabels(long word);

    /**
     * Puts a set of labels in force for the current thread, in place of the one that was. Takes no
     * lock, and works in every state of the engine.
     *
     * @param current the current thread
     * @param isVirtual whether it is a virtual one
     * @param word what {@link #addLabels} returned; 1 for the set "(other)", which is always there
     * @return the state before, 0 or more, for {@link #closeLabels}
     */
    static native long openLabels(Thread current, boolean isVirtual, long word);

    /**
     * Puts back what was in force for the current thread before {@link #openLabels}. Does nothing
     * where an outer scope was closed before this one.
     */
    static native void closeLabels(Thread current, boolean isVirtual, long previous);

    /**
     * Returns the payload of the process context of OpenTelemetry that is published now, at most 64
     * KiB; empty where it is longer. Null if there is none, if its publisher is just writing, or
     * without memory. Works in every state of the engine.
     *
     * @param place one element: the address where the context was found the last time, 0 for
     *     unknown; receives where it is now, 0 if there is none
     */
    static native byte @Nullable [] processContext(long[] place);
}
