// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * What of a {@link io.heapsampler.doctor.Tick} can be told without making an object, with the same
 * names. It is made while there is room, and filled anew when there is none. Used by the watching
 * thread only.
 */
public final class BareTick {

    public long atMillis;
    public long allocated;
    public long heapUsed;
    public long heapCommitted;
    public long classesLoaded;
    public long classesUnloaded;
    public long resident;
    public double safepointMillis;
    public double safepointSyncMillis;
    public double cpuMillis;
    public long residentFile;
    public double gcCpuMillis;
    public double gcWaitMillis;
}
