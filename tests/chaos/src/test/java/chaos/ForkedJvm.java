// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** JVMs, a few at a time, each in folders of its own, where nothing may be left. */
final class ForkedJvm {

    private final ExecutorService turns = Executors.newFixedThreadPool(jobs(), Daemon::of);
    private final Path folder;
    private final Path agent;

    /** Makes the threads that wait for JVMs. */
    private static final class Daemon {

        static Thread of(Runnable work) {
            Thread thread = new Thread(work, "turn");
            thread.setDaemon(true);
            return thread;
        }
    }

    /**
     * Prepares JVMs.
     *
     * @param label of their folder
     */
    ForkedJvm(String label) throws IOException {
        folder = Path.of("target", "chaos", label).toAbsolutePath();
        agent = folder.resolve("agent.jar");
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

    /** Returns the flag for {@link Agent}. */
    String javaAgent(String argument) {
        return "-javaagent:" + agent + (argument.isEmpty() ? "" : "=" + argument);
    }

    /** Returns the flag for the agent behind {@link NativeAgent}. */
    static String nativeAgent() {
        Path helper = Path.of(System.getProperty("hstest.library"));
        return "-agentpath:" + helper.resolveSibling("libhschaos.so");
    }

    /** Runs a JVM as soon as it is its turn; prints how it went. */
    Future<Outcome> start(Launch launch) {
        return turns.submit(
                () -> {
                    Outcome outcome = run(launch);
                    System.out.printf(
                            "chaos: %-44s %6d ms  code %d  %s%n",
                            launch.name(), outcome.millis(), outcome.code(), outcome.line());
                    return outcome;
                });
    }

    private Outcome run(Launch launch) throws Exception {
        Path own = folder.resolve(launch.name());
        remove(own);
        Path cwd = Files.createDirectories(own.resolve("cwd"));
        Path tmp = Files.createDirectories(own.resolve("tmp"));
        Path home = Files.createDirectories(own.resolve("home"));
        List<String> command = new ArrayList<>();
        command.add(launch.target().jdk().java().toString());
        command.add("-Xmx256m");
        command.add("-XX:-CreateCoredumpOnCrash");
        command.add("-XX:ErrorFile=" + own.resolve("hs_err.log"));
        command.add("-Djava.io.tmpdir=" + tmp);
        command.add("-Duser.home=" + home);
        command.addAll(launch.target().flags());
        command.addAll(launch.flags());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(launch.main());
        Path output = folder.resolve(launch.name() + ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(cwd.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("HOME", home.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(launch.environment());
        long begin = System.nanoTime();
        int code = end(builder.start(), launch, output);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        String text = Files.readString(output);
        return new Outcome(String.join(" ", command), code, text, filesBelow(own), millis);
    }

    private static int end(Process process, Launch launch, Path output) throws Exception {
        try {
            launch.companion().accompany(process, output);
            if (process.waitFor(launch.seconds(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            askForStacks(process);
            return -1;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void askForStacks(Process process) throws Exception {
        signal(process, "QUIT");
        process.waitFor(3, TimeUnit.SECONDS);
    }

    static void signal(Process process, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static List<String> filesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder, 3)) {
            return files.filter(
                            file ->
                                    folder.relativize(file).getNameCount() > 1
                                            || Files.isRegularFile(file))
                    .map(file -> folder.relativize(file).toString())
                    .toList();
        }
    }

    private static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException e)
                            throws IOException {
                        Files.delete(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
