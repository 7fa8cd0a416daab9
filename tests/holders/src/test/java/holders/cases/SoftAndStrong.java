// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.SoftReference;
import java.util.List;

/** A soft reference and a longer strong path: the path is the strong one. */
public final class SoftAndStrong extends Case {
    private static final class Target {}

    private static SoftReference<Object> soft;
    private static Box box;

    private record Box(Box inner, Object held) {}

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        soft = new SoftReference<>(target);
        box = new Box(new Box(null, target), null);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static SoftAndStrong.box: SoftAndStrong$Box > SoftAndStrong$Box.inner:"
                        + " SoftAndStrong$Box > SoftAndStrong$Box.held: SoftAndStrong$Target");
    }
}
