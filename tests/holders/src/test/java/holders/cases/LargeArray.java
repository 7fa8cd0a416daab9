// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.Arrays;
import java.util.List;

/** The last element of an array of two millions, all others of which are one object. */
public final class LargeArray extends Case {
    private static final class Target {}

    private static final Object[] ARRAY = new Object[2_000_000];

    @Override
    public Object hold() throws Exception {
        Arrays.fill(ARRAY, new Object());
        Target target = new Target();
        ARRAY[ARRAY.length - 1] = target;
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("static LargeArray.ARRAY: Object[] > []: LargeArray$Target");
    }
}
