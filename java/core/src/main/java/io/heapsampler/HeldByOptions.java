// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.FilterNames;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Selects the live samples whose holders are searched, and limits what the search may cost. A
 * factory method selects the samples; the other methods return a copy with another limit.
 *
 * <pre>{@code
 * HeldByOptions options = HeldByOptions.topByLive(5).maxPause(Duration.ofMillis(50));
 * System.out.println(HeapSampler.heldBy(options).toText(60));
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. A number or time out of range is refused with an
 * {@link IllegalArgumentException}.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class HeldByOptions {

    private static final int DEFAULT_SAMPLES = 1_000;
    private static final int MOST_SAMPLES = 100_000;
    private static final Duration DEFAULT_PAUSE = Duration.ofMillis(10);
    private static final Duration DEFAULT_TIME = Duration.ofSeconds(30);
    private static final long DEFAULT_MEMORY = 1L << 30;

    private static final HeldByOptions ALL = of(HeldSelection.all());

    static {
        FacadeAccess.openOptions(HeldByOptions::ways);
    }

    private final HeldSelection selection;
    private final int maxSamples;
    private final Duration maxPause;
    private final Duration maxTime;
    private final long maxMemory;
    private final boolean waitsForTurn;

    /** The allowed ways; empty: all. */
    private final Set<HeldBy.Way> ways;

    private HeldByOptions(
            HeldSelection selection,
            int maxSamples,
            Duration maxPause,
            Duration maxTime,
            long maxMemory,
            boolean waitsForTurn,
            Set<HeldBy.Way> ways) {
        this.selection = selection;
        this.maxSamples = maxSamples;
        this.maxPause = maxPause;
        this.maxTime = maxTime;
        this.maxMemory = maxMemory;
        this.waitsForTurn = waitsForTurn;
        this.ways = ways;
    }

    private static HeldByOptions of(HeldSelection selection) {
        return new HeldByOptions(
                selection,
                DEFAULT_SAMPLES,
                DEFAULT_PAUSE,
                DEFAULT_TIME,
                DEFAULT_MEMORY,
                true,
                Set.of());
    }

    // ---- Selections ----

    /** {@return options for all live samples} */
    public static HeldByOptions all() {
        return ALL;
    }

    /**
     * Returns options for the sites that hold most live bytes, as {@link HeapSnapshot#topByLive}.
     *
     * @param sites how many at most, 1 or more
     * @return the options
     */
    public static HeldByOptions topByLive(int sites) {
        if (sites < 1) {
            throw new IllegalArgumentException(
                    "topByLive must be 1 or more, but is "
                            + sites
                            + ", which selects nothing; HeldByOptions.all() selects all sites");
        }
        return of(HeldSelection.top(sites));
    }

    /**
     * Returns options for the objects of a class, without its subclasses.
     *
     * @param type the class, such as {@code byte[].class}
     * @return the options
     * @throws IllegalArgumentException if the class is primitive, abstract or an interface
     */
    public static HeldByOptions ofClass(Class<?> type) {
        return of(HeldSelection.ofClass(FilterNames.of(Objects.requireNonNull(type, "type"))));
    }

    /**
     * Returns options for the objects of a class, without its subclasses.
     *
     * @param className the Java name, such as {@code byte[]} or {@code java.util.HashMap$Node}
     * @return the options
     * @throws IllegalArgumentException if no class has such a name; the message has the right
     *     spelling
     */
    public static HeldByOptions ofClass(String className) {
        if (Objects.requireNonNull(className, "className").contains("*")) {
            throw new IllegalArgumentException(
                    "className \""
                            + className
                            + "\" matches no class: there are no patterns. Name one class.");
        }
        String name = FilterNames.checkClass(className);
        return of(HeldSelection.ofClass(name));
    }

    /**
     * Returns options for some sites, of any snapshot. A site is found again by its class and the
     * lines of its stack.
     *
     * @param sites one site or more
     * @return the options
     * @throws IllegalArgumentException if there is none
     */
    public static HeldByOptions ofSites(Collection<HeapSite> sites) {
        List<HeapSite> copy = List.copyOf(sites);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException(
                    "ofSites must have one site or more; HeldByOptions.all() selects all sites");
        }
        return of(HeldSelection.ofSites(copy, true));
    }

    /**
     * Returns options for the sites that grow over several snapshots: those of {@link
     * HeapGrowth#growing()}. A site is found again by its class and the methods of its stack, or by
     * their lines if the comparison is {@linkplain HeapGrowth#byLine() by line}. If no site grows,
     * the answer is empty and says so.
     *
     * @param growth the comparison
     * @return the options
     */
    public static HeldByOptions growing(HeapGrowth growth) {
        List<HeapSite> sites = growth.growing().stream().map(SiteGrowth::site).toList();
        return of(HeldSelection.growing(sites, growth.isByLine()));
    }

    /**
     * Returns options for the live objects with a label, see {@link HeapLabels}. For several
     * labels, or some sites of a label only, search in a snapshot after {@link
     * HeapSnapshot#filter}.
     *
     * @param key the key
     * @param value the whole value; there are no patterns
     * @return the options
     * @throws IllegalArgumentException if no label has such a key or value; see {@link
     *     HeapLabels#of}
     */
    public static HeldByOptions label(String key, String value) {
        return of(HeldSelection.matching(SampleFilter.label(key, value)));
    }

    // ---- Limits ----

    /**
     * Returns these options with another limit of samples. Default: 1,000. If more live samples
     * match, that many of them are chosen at random, and each stands for more: estimates stay
     * unbiased, and their errors grow.
     *
     * @param samples from 1 to 100,000
     * @return a copy
     */
    public HeldByOptions maxSamples(int samples) {
        if (samples < 1 || samples > MOST_SAMPLES) {
            throw new IllegalArgumentException(
                    "maxSamples must be from 1 to 100,000, but is "
                            + samples
                            + "; 1,000 samples give shares with errors of 3 %");
        }
        return new HeldByOptions(
                selection, samples, maxPause, maxTime, maxMemory, waitsForTurn, ways);
    }

    /**
     * Returns these options with another longest pause: the time for which the application may stop
     * at once while the heap is walked in the process itself. Default: 10 ms. A walk in a child
     * process stops it for as long as the child takes to make, about 60 µs for each MB in use; see
     * {@link HeldBy#longestPause()}.
     *
     * @param pause 1 µs or more
     * @return a copy
     */
    public HeldByOptions maxPause(Duration pause) {
        require(pause, "maxPause", "10 ms");
        return new HeldByOptions(
                selection, maxSamples, pause, maxTime, maxMemory, waitsForTurn, ways);
    }

    /**
     * Returns these options with another limit of time for the whole search. Default: 30 s. Paths
     * that are found by then are returned.
     *
     * @param time 1 µs or more
     * @return a copy
     */
    public HeldByOptions maxTime(Duration time) {
        require(time, "maxTime", "30 s");
        return new HeldByOptions(
                selection, maxSamples, maxPause, time, maxMemory, waitsForTurn, ways);
    }

    /**
     * Returns these options with another limit of native memory that the search may take, including
     * that of a child process. Default: 1 GiB. The memory is given back at the end. A child process
     * needs room for a copy of the live objects. On JDK 17 and 18 the search uses a child only if
     * this limit is at least 1.25 times the heap in use.
     *
     * @param bytes 1 or more
     * @return a copy
     */
    public HeldByOptions maxMemory(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException(
                    "maxMemory must be 1 byte or more, but is " + bytes + "; the default is 1 GiB");
        }
        return new HeldByOptions(
                selection, maxSamples, maxPause, maxTime, bytes, waitsForTurn, ways);
    }

    /**
     * Returns these options with another behaviour while a search is running in this process: one
     * search runs at a time. Default: true.
     *
     * @param waits true to wait for its end, {@link #maxTime()} at most; false to be refused with
     *     an {@link IllegalStateException}
     * @return a copy
     */
    public HeldByOptions waitsForTurn(boolean waits) {
        return new HeldByOptions(selection, maxSamples, maxPause, maxTime, maxMemory, waits, ways);
    }

    /**
     * Returns these options for some ways of walking the heap only; the first that is possible is
     * taken, in the order of the constants.
     *
     * @param allowed one way or more
     */
    HeldByOptions ways(Set<HeldBy.Way> allowed) {
        return new HeldByOptions(
                selection,
                maxSamples,
                maxPause,
                maxTime,
                maxMemory,
                waitsForTurn,
                EnumSet.copyOf(allowed));
    }

    private static void require(Duration duration, String name, String usual) {
        if (Objects.requireNonNull(duration, name).compareTo(Duration.ofNanos(1_000)) < 0) {
            throw new IllegalArgumentException(
                    name
                            + " must be 1 µs or more, but is "
                            + duration
                            + "; the default is "
                            + usual);
        }
    }

    // ---- Reading ----

    HeldSelection selection() {
        return selection;
    }

    /** Returns the allowed ways as {@link io.heapsampler.internal.Engine#heldBy} wants them. */
    long wayBits() {
        return ways.stream().mapToLong(way -> 1L << way.ordinal()).sum();
    }

    /** {@return the limit of samples, 1 or more} */
    public int maxSamples() {
        return maxSamples;
    }

    /** {@return the longest pause within the process} */
    public Duration maxPause() {
        return maxPause;
    }

    /** {@return the limit of time} */
    public Duration maxTime() {
        return maxTime;
    }

    /** {@return the limit of native memory, in bytes} */
    public long maxMemory() {
        return maxMemory;
    }

    /** {@return whether a search waits while another one is running} */
    public boolean waitsForTurn() {
        return waitsForTurn;
    }

    @Override
    public String toString() {
        return selection.text()
                + ", maxSamples="
                + maxSamples
                + ", maxPause="
                + maxPause
                + ", maxTime="
                + maxTime
                + ", maxMemory="
                + maxMemory
                + ", waitsForTurn="
                + waitsForTurn;
    }
}
