// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** An anonymous class holds a local variable. */
public final class AnonymousCapture extends Case {
    private static final class Target {}

    private static Runnable held;

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held =
                new Runnable() {
                    @Override
                    public void run() {
                        System.out.println(target);
                    }
                };
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static AnonymousCapture.held: AnonymousCapture$1 > AnonymousCapture$1.val$target:"
                        + " AnonymousCapture$Target");
    }
}
