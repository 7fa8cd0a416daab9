// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.lang.instrument.Instrumentation;

/** The agent of the JVM that is sampled, which gives it the means to redefine classes. */
public final class Agent {

    @SuppressWarnings("NonFinalStaticField")
    private static volatile Instrumentation instrumentation;

    private Agent() {}

    /** Called by the JVM before main. */
    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    static Instrumentation instrumentation() {
        Instrumentation given = instrumentation;
        if (given == null) {
            throw new IllegalStateException("this JVM was started without -javaagent");
        }
        return given;
    }
}
