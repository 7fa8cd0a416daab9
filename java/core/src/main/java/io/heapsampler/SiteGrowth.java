// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;

/**
 * How one allocation site grows over several snapshots.
 *
 * <pre>{@code
 * SiteGrowth first = HeapGrowth.of(snapshots).sites().get(0);
 * System.out.println(first.bytesPerSecond() + " bytes per second, " + first.birthEpochs() + " generations");
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class SiteGrowth {

    private final HeapSite site;
    private final List<HeapAmount> live;
    private final Estimate bytesPerSecond;
    private final Estimate recentBytesPerSecond;
    private final double chance;
    private final boolean hasEnoughSamples;
    private final int birthEpochs;

    SiteGrowth(
            HeapSite site,
            List<HeapAmount> live,
            Estimate bytesPerSecond,
            Estimate recentBytesPerSecond,
            double chance,
            boolean hasEnoughSamples,
            int birthEpochs) {
        this.site = site;
        this.live = live;
        this.bytesPerSecond = bytesPerSecond;
        this.recentBytesPerSecond = recentBytesPerSecond;
        this.chance = chance;
        this.hasEnoughSamples = hasEnoughSamples;
        this.birthEpochs = birthEpochs;
    }

    /**
     * {@return the Java name of the class, such as {@code byte[]}; {@code (other)} for samples that
     * had no room of their own}
     */
    public String className() {
        return site.className();
    }

    /**
     * {@return the stack, leaf first; unmodifiable; may be empty; where several lines of its
     * methods are added up, with the lines of most live bytes in the last snapshot}
     */
    public List<HeapFrame> stack() {
        return site.stack();
    }

    /**
     * {@return what was confirmed live in each snapshot: one amount per snapshot, oldest first;
     * unmodifiable}
     */
    public List<HeapAmount> live() {
        return live;
    }

    /**
     * {@return the slope of the confirmed live bytes: that of the straight line with the least
     * squares through all snapshots, in bytes per second, negative if the site shrinks; its {@link
     * Estimate#samples()} are those that contribute to the slope} Its error is that of sampling
     * alone. Samples are recognised in several snapshots: objects that live through all of them add
     * nothing to it.
     */
    public Estimate bytesPerSecond() {
        return bytesPerSecond;
    }

    /**
     * {@return the slope of the later half of the snapshots: from the middle one on, in bytes per
     * second; about 0 where growth has stopped, such as that of a full cache}
     */
    public Estimate recentBytesPerSecond() {
        return recentBytesPerSecond;
    }

    /**
     * {@return the chance (p-value) with which a site that does not grow, or has stopped, looks as
     * if it grew at least this much; from 0 to 1; 1 where no growth is seen, 0 where nothing was
     * left to chance} It is meant for a single site: of many sites, some have a small one. {@link
     * HeapGrowth#growing()} takes that into account.
     */
    public double chance() {
        return chance;
    }

    /** Returns the site that is shown: of several lines the one with most bytes. */
    HeapSite site() {
        return site;
    }

    /** Returns whether enough samples contribute to the slope to judge it. */
    boolean hasEnoughSamples() {
        return hasEnoughSamples;
    }

    /** Growth that is sure, and has not stopped. */
    double surely() {
        return Math.min(bytesPerSecond.low(), recentBytesPerSecond.low());
    }

    /**
     * {@return between how many different collections the objects were born that are live in the
     * last snapshot; 0 if nothing is live any more} Those of a leak come from nearly all times,
     * those of a table that was filled once from one.
     */
    public int birthEpochs() {
        return birthEpochs;
    }

    @Override
    public String toString() {
        String at = stack().isEmpty() ? "" : " at " + stack().get(0);
        return className()
                + at
                + ": live "
                + live.get(live.size() - 1).bytes()
                + ", growing by "
                + bytesPerSecond
                + " bytes per second, born in "
                + birthEpochs
                + " epochs";
    }
}
