// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** An element of an array in an array; its class is an array's. */
public final class ArrayOfArrays extends Case {
    private static final class Target {}

    private static final Target[][][] ARRAY = new Target[10][][];

    @Override
    public Object hold() throws Exception {
        ARRAY[7] = new Target[5][];
        ARRAY[7][3] = new Target[2];
        return ARRAY[7][3];
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static ArrayOfArrays.ARRAY: ArrayOfArrays$Target[][][] > []:"
                        + " ArrayOfArrays$Target[][] > []: ArrayOfArrays$Target[]");
    }

    @Override
    public boolean isTarget(String className, long size) {
        return className.equals(ArrayOfArrays.class.getName() + "$Target[]");
    }
}
