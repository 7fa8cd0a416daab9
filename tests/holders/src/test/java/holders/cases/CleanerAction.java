// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.ref.Cleaner;
import java.util.List;

/** The action of a cleaner holds what it cleans up, or anything else. */
public final class CleanerAction extends Case {
    private static final class Target {}

    private static final Cleaner CLEANER = Cleaner.create();
    private static final Object CLEANED = new Object();

    private record Action(Target target) implements Runnable {
        @Override
        public void run() {}
    }

    @Override
    public Object hold() throws Exception {
        Target target = new Target();
        CLEANER.register(CLEANED, new Action(target));
        return target;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static CleanerAction.CLEANER: Cleaner > Cleaner.impl: CleanerImpl > ... >"
                        + " CleanerImpl$PhantomCleanableRef.action: CleanerAction$Action >"
                        + " CleanerAction$Action.target: CleanerAction$Target");
    }
}
