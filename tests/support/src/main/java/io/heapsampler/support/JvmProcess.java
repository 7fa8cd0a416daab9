// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM in a process of its own, which ends in time or is killed; it speaks into a file. */
public final class JvmProcess {

    private static final int SECONDS_FOR_STACKS = 3;

    private final ProcessBuilder builder;
    private final Path output;

    /** What the parent does to a JVM while it runs. */
    public interface Companion {

        /** Lets it be. */
        Companion NONE = (process, output) -> {};

        /**
         * Does it; the JVM may end meanwhile.
         *
         * @param output where the JVM prints to
         */
        void accompany(Process process, Path output) throws Exception;
    }

    /**
     * How a JVM ended.
     *
     * @param code its exit code; below 0: it hung, printed its stacks on request and was killed
     * @param output all that it printed
     * @param millis how long it took
     */
    public record End(int code, String output, long millis) {}

    /**
     * Prepares a JVM.
     *
     * @param command with all arguments
     * @param folder where it works
     * @param output where it prints to
     */
    public JvmProcess(List<String> command, Path folder, Path output) {
        this.output = output;
        builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
    }

    /** Adds to its environment. */
    public JvmProcess environment(Map<String, String> more) {
        builder.environment().putAll(more);
        return this;
    }

    /** Runs it, for as long at most. */
    public End run(int seconds) throws Exception {
        return run(seconds, Companion.NONE);
    }

    /** The same in company; the time begins when the companion is done. */
    public End run(int seconds, Companion companion) throws Exception {
        long begin = System.nanoTime();
        int code = end(builder.start(), seconds, companion);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        return new End(code, Files.readString(output), millis);
    }

    private int end(Process process, int seconds, Companion companion) throws Exception {
        try {
            companion.accompany(process, output);
            if (process.waitFor(seconds, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            signal(process, "QUIT");
            process.waitFor(SECONDS_FOR_STACKS, TimeUnit.SECONDS);
            return -1;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Sends a signal. */
    public static void signal(Process process, String name)
            throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
