// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** An inner class holds the object it was made in. */
public final class InnerClass extends Case {
    private static Runnable held;

    private static final class Target {
        private int count;

        final class Inner implements Runnable {
            @Override
            public void run() {
                count++;
            }
        }
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        held = target.new Inner();
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static InnerClass.held: InnerClass$Target$Inner > InnerClass$Target$Inner.this$0:"
                        + " InnerClass$Target");
    }
}
