// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.Option;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heapsampler attach}. */
@Command(
        name = "attach",
        description =
                "Starts the agent in a JVM that runs, with the same options as -javaagent has."
                        + " It stays until detach.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class AttachCommand implements Callable<Integer> {

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "OPTION",
            description =
                    "A file with options, or key=value, such as interval=64k or"
                            + " output.file=stacks.txt.")
    private List<String> options = List.of();

    @Override
    public Integer call() throws FailureException {
        String argument =
                options.stream().map(AttachCommand::resolved).collect(Collectors.joining(","));
        try (Target target = jvm.attach()) {
            target.ask("start " + argument);
        }
        spec.commandLine().getErr().println("The agent is at work in process " + jvm.pid() + ".");
        return 0;
    }

    private static String resolved(String option) {
        int equals = option.indexOf('=');
        if (equals < 0) {
            return "file=" + absolute(option);
        }
        String key = option.substring(0, equals);
        boolean isEmpty = option.substring(equals + 1).isBlank(); // which the agent refuses
        // From here, not from where the JVM runs.
        return Option.isPath(key) && !isEmpty
                ? key + "=" + absolute(option.substring(equals + 1))
                : option.replace(",", "\\,");
    }

    private static String absolute(String path) {
        return Path.of(path).toAbsolutePath().toString().replace(",", "\\,");
    }
}
