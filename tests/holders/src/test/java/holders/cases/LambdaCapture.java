// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A lambda holds a local variable. */
public final class LambdaCapture extends Case {
    private static final class Target {}

    private static Runnable held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = () -> System.out.println(target);
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static LambdaCapture.held: LambdaCapture$$Lambda > LambdaCapture$$Lambda.arg$1:"
                        + " LambdaCapture$Target");
    }
}
