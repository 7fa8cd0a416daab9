// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The last element of a large array, between arrays of which a long part is null. Their elements
 * have references: the walk gives others no tags.
 */
public final class SparseArrays extends Case {
    private static final class Target {}

    private static final int SET = 1_000;

    private static final Object[] PARTLY_SET = new Object[450_000];
    private static final Object[] ARRAY = new Object[450_000];
    private static final List<Object> WITH_SPARE_CAPACITY = new ArrayList<>(450_000);

    @Override
    public Object hold() throws Exception {
        for (int i = 0; i < SET; i++) {
            PARTLY_SET[i] = new Object[1];
            WITH_SPARE_CAPACITY.add(new Object[1]);
        }
        Arrays.fill(ARRAY, new Object());
        Target target = new Target();
        ARRAY[ARRAY.length - 1] = target;
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("static SparseArrays.ARRAY: Object[] > []: SparseArrays$Target");
    }
}
