// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

/** Where allocated objects escape to, so that no compiler leaves them out. */
public final class Sink {

    /** The object allocated last, by whichever thread. */
    @SuppressWarnings("NonFinalStaticField")
    public static volatile Object last = "";

    /** What the chains of {@link ClassMaker} do at their end. */
    @SuppressWarnings("NonFinalStaticField")
    private static volatile Runnable end = () -> {};

    private Sink() {}

    /** Called by the last link of each chain. */
    public static void end() {
        last = new Object();
        end.run();
        last = new Object[1];
    }

    static void atEnd(Runnable work) {
        end = work;
    }
}
