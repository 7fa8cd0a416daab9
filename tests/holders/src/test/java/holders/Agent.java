// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.lang.instrument.Instrumentation;
import java.util.Optional;

/** The Java agent of the JVMs that redefine classes. */
public final class Agent {

    @SuppressWarnings("NonFinalStaticField")
    private static volatile Instrumentation instrumentation;

    private Agent() {}

    /** Called by the JVM before main. */
    public static void premain(String argument, Instrumentation given) {
        instrumentation = given;
    }

    /** Empty where the JVM was started without it, since its runtime has no instrumentation. */
    static Optional<Instrumentation> instrumentation() {
        return Optional.ofNullable(instrumentation);
    }
}
