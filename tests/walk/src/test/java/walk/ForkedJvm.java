// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.AgentJar;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.Turns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** JVMs that run {@link Walk}, a few at a time, in a folder where they leave crash reports. */
final class ForkedJvm {

    private static final int DEADLINE_SECONDS = Tier.SECONDS + 90;

    /** At level 4, which is that of Graal where it runs. */
    private static final Pattern COMPILED = Pattern.compile("\\s4\\s+(walk|org\\.h2)\\.");

    private final ExecutorService turns = Turns.ofJvms();
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
        Files.createDirectories(folder);
        this.agent = AgentJar.write(folder.resolve("agent.jar"), Agent.class);
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

    /** Returns how many methods of applications and scenarios the best compiler has compiled. */
    long compiled(Cell cell) throws IOException {
        try (Stream<String> lines = Files.lines(compilations(cell))) {
            return lines.filter(line -> COMPILED.matcher(line).find()).count();
        }
    }

    private Path compilations(Cell cell) {
        return folder.resolve(cell.name() + ".jit");
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
        command.addAll(cell.jdk().accessFlags());
        if (cell.mode() == Mode.GRAAL) {
            command.add("-Xlog:jit+compilation=debug:file=" + compilations(cell));
        }
        command.addAll(cell.flags());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Walk.class.getName(), cell.kind().label()));
        command.add(String.valueOf(tier.stacks()));
        command.add(String.valueOf(tier.rounds()));
        command.add(String.valueOf(Tier.SECONDS));
        Path output = folder.resolve(cell.name() + ".txt");
        JvmProcess.End end = new JvmProcess(command, folder, output).run(DEADLINE_SECONDS);
        return new Outcome(String.join(" ", command), end.code(), end.output(), end.millis());
    }
}
