// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.Locale;

/** The ways in which a JVM ends, with the exit code that it must have. */
enum Ending {
    NEVER_STARTED(Ending.CODE),
    RETURN(0),
    EXIT(Ending.CODE),
    STOPPED(Ending.CODE),
    RESET(Ending.CODE),
    RECORDING(Ending.CODE),
    IN_SNAPSHOT(Ending.CODE),
    IN_FORCED_COLLECTION(Ending.CODE),
    IN_START_AND_STOP(Ending.CODE),
    STOP_IN_HOOK(Ending.CODE),
    START_IN_HOOK(Ending.CODE),
    EXIT_IN_HOOK(Ending.CODE + 1),
    HALT(Ending.CODE),
    HALT_IN_HOOK(Ending.CODE + 1),
    UNCAUGHT(1),
    OUT_OF_MEMORY(3, "-XX:+ExitOnOutOfMemoryError", "-Xmx48m"),
    TERMINATED(128 + 15),
    KILLED(128 + 9),
    KILLED_IN_START_AND_STOP(128 + 9);

    /** What the JVM is told to answer. */
    static final int CODE = 7;

    private final int code;
    private final String[] flags;

    Ending(int code, String... flags) {
        this.code = code;
        this.flags = flags;
    }

    static Ending of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    int code() {
        return code;
    }

    String[] flags() {
        return flags.clone();
    }
}
