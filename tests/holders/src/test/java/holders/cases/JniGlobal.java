// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import holders.Native;
import java.util.List;

/** A global reference of JNI. */
public final class JniGlobal extends Case {
    private static final class Target {}

    private long reference;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        reference = Native.newGlobal(target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of("jni-global: JniGlobal$Target");
    }

    @Override
    public void release() {
        Native.deleteGlobal(reference);
    }
}
