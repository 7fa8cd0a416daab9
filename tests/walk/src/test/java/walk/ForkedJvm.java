// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** JVMs that run {@link Walk}, a few at a time, in a folder where they leave crash reports. */
final class ForkedJvm {

    private static final int DEADLINE_SECONDS = Tier.SECONDS + 90;
    private static final int FIRST_WITH_DENY = 24;

    private final ExecutorService turns = Pools.daemons(jobs());
    private final String label;
    private final Path folder;
    private final Path agent;

    /**
     * Prepares JVMs.
     *
     * @param label of their output and its folder
     */
    ForkedJvm(String label) throws IOException {
        this.label = label;
        this.folder = Path.of("target", label).toAbsolutePath();
        this.agent = folder.resolve("agent.jar");
        Files.createDirectories(folder);
        writeAgent();
    }

    private static int jobs() {
        String jobs = System.getenv("HEAPSAMPLER_JOBS");
        return jobs == null
                ? Math.min(2, Runtime.getRuntime().availableProcessors())
                : Integer.parseInt(jobs);
    }

    /** The class itself is on the class path. */
    private void writeAgent() throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", Agent.class.getName());
        attributes.putValue("Can-Redefine-Classes", "true");
        attributes.putValue("Can-Retransform-Classes", "true");
        try (OutputStream out = Files.newOutputStream(agent)) {
            new JarOutputStream(out, manifest).close();
        }
    }

    /** Runs a cell as soon as it is its turn; prints how it went. */
    Future<Outcome> start(Cell cell, Tier tier, String... flags) {
        return turns.submit(
                () -> {
                    String obstacle = cell.obstacle();
                    Outcome outcome =
                            obstacle.isEmpty()
                                    ? run(cell, tier, flags)
                                    : new Outcome("", 0, obstacle, 0);
                    System.out.printf(
                            "%s: %-44s %6d ms  %s%n",
                            label,
                            cell.name(),
                            outcome.millis(),
                            obstacle.isEmpty() ? outcome.line() : "SKIPPED: " + obstacle);
                    return outcome;
                });
    }

    private Outcome run(Cell cell, Tier tier, String... flags) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(cell.jdk().java().toString());
        command.addAll(
                List.of(
                        "-Xmx512m",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + folder.resolve("hs_err_" + cell.name() + ".log"),
                        "-Dheapsampler.verifyStacks=1",
                        "-Dwalk.sources=" + System.getProperty("walk.sources")));
        if (cell.kind().isInstrumented()) {
            command.add("-javaagent:" + agent);
        }
        if (cell.jdk().feature() >= FIRST_WITH_DENY) {
            command.add("--illegal-native-access=deny");
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(cell.flags());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Walk.class.getName(), cell.kind().label()));
        command.add(String.valueOf(tier.stacks()));
        command.add(String.valueOf(tier.rounds()));
        command.add(String.valueOf(Tier.SECONDS));
        return run(command, folder.resolve(cell.name() + ".txt"));
    }

    private Outcome run(List<String> command, Path output) throws Exception {
        long begin = System.nanoTime();
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        int code = -1;
        try {
            if (process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                code = process.exitValue();
            } else {
                askForStacks(process);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        return new Outcome(String.join(" ", command), code, Files.readString(output), millis);
    }

    private static void askForStacks(Process process) throws Exception {
        new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
        process.waitFor(2, TimeUnit.SECONDS);
    }
}
