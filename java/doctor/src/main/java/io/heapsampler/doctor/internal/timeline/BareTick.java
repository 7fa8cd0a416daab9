// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * The fields of a {@link io.heapsampler.doctor.internal.timeline.Tick} that can be read without
 * making an object, with the same names. It is made while the heap has room, and filled again when
 * it has none. Used by the watching thread only.
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
