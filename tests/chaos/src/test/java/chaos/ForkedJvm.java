// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.AgentJar;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.Turns;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** JVMs, a few at a time, each in folders of its own, where nothing may be left. */
final class ForkedJvm {

    private final ExecutorService turns = Turns.ofJvms();
    private final Path folder;
    private final Path agent;

    /**
     * Prepares JVMs.
     *
     * @param label of their folder
     */
    ForkedJvm(String label) throws IOException {
        folder = Path.of("target", "chaos", label).toAbsolutePath();
        Files.createDirectories(folder);
        agent = AgentJar.write(folder.resolve("agent.jar"), Agent.class);
    }

    /** Returns the flag for {@link Agent}. */
    String javaAgent(String argument) {
        return "-javaagent:" + agent + (argument.isEmpty() ? "" : "=" + argument);
    }

    /** Returns the flag for the agent behind {@link NativeAgent}. */
    static String nativeAgent() {
        return "-agentpath:" + nativeLibrary();
    }

    /** Returns the library behind {@link NativeAgent}. */
    static Path nativeLibrary() {
        Path helper = Path.of(System.getProperty("hstest.library"));
        return helper.resolveSibling("libhschaos.so");
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
        JvmProcess process = new JvmProcess(command, cwd, output);
        process.environment(Map.of("HOME", home.toString())).environment(launch.environment());
        JvmProcess.End end = process.run(launch.seconds(), launch.companion());
        String text = String.join(" ", command);
        return new Outcome(text, end.code(), end.output(), filesBelow(own), end.millis());
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
