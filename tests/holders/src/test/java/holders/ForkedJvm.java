// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.support.AgentJar;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.JvmProcess.Companion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs in a folder where they leave what they print. */
final class ForkedJvm {

    /** Far beyond need: after it, a JVM hangs. */
    private static final int DEADLINE_SECONDS = 300;

    private static final int LONG_DEADLINE_SECONDS = 3_000;

    private final Path folder = Path.of("target", "holders").toAbsolutePath();

    private final Path agent;

    ForkedJvm() throws IOException {
        Files.createDirectories(folder);
        agent = AgentJar.write(file("agent.jar"), Agent.class);
    }

    /** Returns the flag for {@link Agent}, where a JDK can have it. */
    List<String> javaAgent(Jdk jdk) {
        return jdk.has("java.instrument") ? List.of("-javaagent:" + agent) : List.of();
    }

    /** Returns a file in the folder. */
    Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * Returns flags of a JVM that logs which methods it compiles, and does not inline those of the
     * cases.
     */
    List<String> compilerFlags(String name) {
        Path compilations = file(name + ".jit");
        return List.of(
                "-Dholders.compilations=" + compilations,
                "-Xlog:jit+compilation=debug:file=" + compilations,
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=dontinline,holders.cases.*::stay",
                "-XX:CompileCommand=dontinline,holders.cases.Frames::pass",
                "-XX:CompileCommand=BackgroundCompilation,holders.cases.*::stay,false");
    }

    /** Runs a program; its output stays in a file of that name. */
    Outcome run(String name, Cell cell, Companion companion, List<String> flags, String... words)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(cell.jdk().java().toString());
        command.addAll(
                List.of(
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + file("hs_err_" + name + ".log"),
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                        "-Dholders.library=" + System.getProperty("holders.library")));
        command.addAll(cell.flags());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(words));
        Path output = file(name + ".txt");
        int seconds = Tier.current() == Tier.LONG ? LONG_DEADLINE_SECONDS : DEADLINE_SECONDS;
        JvmProcess.End end = new JvmProcess(command, folder, output).run(seconds, companion);
        return new Outcome(String.join(" ", command), end.code(), end.output(), end.millis());
    }
}
