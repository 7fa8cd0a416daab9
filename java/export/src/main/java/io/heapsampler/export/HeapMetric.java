// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.ApiStatus;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.SiteDelta;

/**
 * One of the four figures of a heap profile: the figure that a format shows, or shows first.
 *
 * <pre>{@code
 * double held = HeapMetric.LIVE_BYTES.of(site).value();
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum HeapMetric {
    /** Objects allocated: {@code alloc_objects} of pprof. */
    ALLOCATED_OBJECTS("alloc_objects", "count"),

    /** Bytes allocated: {@code alloc_space} of pprof. */
    ALLOCATED_BYTES("alloc_space", "bytes"),

    /** Objects confirmed alive: {@code inuse_objects} of pprof. */
    LIVE_OBJECTS("inuse_objects", "count"),

    /** Bytes confirmed alive: {@code inuse_space} of pprof. */
    LIVE_BYTES("inuse_space", "bytes");

    private final String pprofName;
    private final String unit;

    HeapMetric(String pprofName, String unit) {
        this.pprofName = pprofName;
        this.unit = unit;
    }

    /**
     * Returns the name of this figure in Go.
     *
     * @return such as {@code inuse_space}
     */
    public String pprofName() {
        return pprofName;
    }

    /**
     * Returns the name of the unit in pprof.
     *
     * @return {@code bytes} or {@code count}
     */
    public String unit() {
        return unit;
    }

    /**
     * Returns this figure of a site, a class, a thread or a whole snapshot.
     *
     * @param figures the figures of the site, class, thread or snapshot
     * @return the estimate
     */
    public Estimate of(HeapFigures figures) {
        return of(figures.allocated(), figures.live());
    }

    /**
     * Returns the change of this figure of a site.
     *
     * @param delta the change of the site
     * @return the estimate; negative if the figure has decreased
     */
    public Estimate of(SiteDelta delta) {
        return of(delta.allocated(), delta.live());
    }

    /** Whether it is a figure of live objects. */
    boolean isLive() {
        return this == LIVE_OBJECTS || this == LIVE_BYTES;
    }

    Estimate of(HeapAmount allocated, HeapAmount live) {
        return switch (this) {
            case ALLOCATED_OBJECTS -> allocated.objects();
            case ALLOCATED_BYTES -> allocated.bytes();
            case LIVE_OBJECTS -> live.objects();
            case LIVE_BYTES -> live.bytes();
        };
    }
}
