// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.IntUnaryOperator;

/** Samples of a snapshot as views that are created on access. */
final class SampleList extends AbstractList<HeapSample> implements RandomAccess {

    private final HeapSnapshot snapshot;
    private final int count;
    private final IntUnaryOperator indexes;

    private SampleList(HeapSnapshot snapshot, int count, IntUnaryOperator indexes) {
        this.snapshot = snapshot;
        this.count = count;
        this.indexes = indexes;
    }

    /** Returns all samples of a snapshot. */
    static List<HeapSample> all(HeapSnapshot snapshot) {
        return new SampleList(snapshot, snapshot.data().samples.count, i -> i);
    }

    /** Returns those with these indexes. */
    static List<HeapSample> of(HeapSnapshot snapshot, int[] indexes) {
        return new SampleList(snapshot, indexes.length, i -> indexes[i]);
    }

    @Override
    public HeapSample get(int index) {
        return new HeapSample(snapshot, indexes.applyAsInt(Objects.checkIndex(index, count)));
    }

    @Override
    public int size() {
        return count;
    }
}
