// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Frames of a method that a certain compiler has compiled. */
final class Frames {

    private static final int BATCH = 500;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Takes results, so that they are used. */
    static volatile Object sink = "none";

    private Frames() {}

    /** Never inlined, by a flag of the JVM: here a thread stays. */
    static void pass(Waiting waiting) {
        if (waiting != null) {
            waiting.run();
        }
    }

    /**
     * Calls the method {@code stay} of a class until the JVM has compiled it at a level: it logs
     * what it compiles, and the caller waits for that, by flags.
     */
    static void compile(Class<?> type, int level, Runnable call) {
        Path log = Path.of(System.getProperty("holders.compilations"));
        Pattern line =
                Pattern.compile("\\s" + level + "\\s+" + Pattern.quote(type.getName() + "::stay"));
        long begin = System.nanoTime();
        try {
            while (!line.matcher(Files.readString(log)).find()) {
                for (int i = 0; i < BATCH; i++) {
                    call.run();
                }
                if (System.nanoTime() - begin > PATIENCE_NANOS) {
                    throw new IllegalStateException(type + " was not compiled at level " + level);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
