// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.Option;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code heapsampler attach}. */
@Command(
        name = "attach",
        description =
                "Starts the agent in a running JVM, with the options of -javaagent. The agent runs"
                        + " until detach.")
final class AttachCommand extends CliCommand.OnJvm {

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "OPTION",
            description =
                    "A properties file, or key=value, such as interval=64k or"
                            + " output.file=stacks.txt.")
    private List<String> options = List.of();

    @Override
    void execute() throws FailureException {
        String argument =
                options.stream().map(AttachCommand::resolved).collect(Collectors.joining(","));
        try (Target target = attach()) {
            target.ask("start " + argument);
        }
        err().println("The agent is running in process " + pid() + ".");
        if (isJson()) {
            print(json("attach:1").end('}'));
        }
    }

    private static String resolved(String option) {
        int equals = option.indexOf('=');
        if (equals < 0) {
            return "file=" + absolute(option);
        }
        String key = option.substring(0, equals);
        boolean isEmpty = option.substring(equals + 1).isBlank(); // The agent refuses it.
        // Relative to the working folder of this program, not to that of the JVM.
        return Option.isPath(key) && !isEmpty
                ? key + "=" + absolute(option.substring(equals + 1))
                : option.replace(",", "\\,");
    }

    private static String absolute(String path) {
        return Path.of(path).toAbsolutePath().toString().replace(",", "\\,");
    }
}
