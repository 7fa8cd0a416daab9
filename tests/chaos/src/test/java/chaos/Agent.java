// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.instrument.Instrumentation;

/** The Java agent of the JVMs that need one. */
public final class Agent {

    @SuppressWarnings("NonFinalStaticField")
    private static volatile Instrumentation instrumentation;

    private Agent() {}

    /** Called by the JVM before main; with the argument "everything", it instruments that. */
    public static void premain(String argument, Instrumentation given) throws Exception {
        instrumentation = given;
        if ("everything".equals(argument)) {
            Everything.instrument(given);
        }
    }

    static Instrumentation instrumentation() {
        Instrumentation given = instrumentation;
        if (given == null) {
            throw new IllegalStateException("this JVM was started without -javaagent");
        }
        return given;
    }
}
