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
        try (Target target = attach()) {
            target.ask(
                    options.stream()
                            .map(AttachCommand::resolved)
                            .collect(Collectors.joining(",", "start ", "")));
        }
        err().println("The agent is running in process " + pid() + ".");
        if (isJson()) {
            print(json("attach:1").end('}'));
        }
    }

    /** Resolves a path against the working folder of this program, not that of the JVM. */
    private static String resolved(String option) {
        int equals = option.indexOf('=');
        String key = equals < 0 ? "file" : option.substring(0, equals);
        String value = option.substring(equals + 1);
        boolean isResolved = Option.isPath(key) && !value.isBlank(); // The agent refuses a blank.
        String resolved = isResolved ? Path.of(value).toAbsolutePath().toString() : value;
        return (key + "=" + resolved).replace(",", "\\,");
    }

    /** {@code heapsampler detach}. */
    @Command(
            name = "detach",
            description =
                    "Ends the agent in a running JVM, however it was started. The agent writes its"
                            + " files a last time. Sampling stops unless others hold the sampler.")
    static final class Detach extends CliCommand.OnJvm {

        @Override
        void execute() throws FailureException {
            try (Target target = attach()) {
                target.ask("detach");
            }
            err().println("The agent has left process " + pid() + ".");
            if (isJson()) {
                print(json("detach:1").end('}'));
            }
        }
    }
}
