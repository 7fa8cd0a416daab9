// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code heapsampler detach}. */
@Command(
        name = "detach",
        description =
                "Ends the agent in a JVM, however it was started: it writes for the last time, and"
                        + " sampling stops.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DetachCommand implements Callable<Integer> {

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private Jvm jvm = new Jvm();

    @Override
    public Integer call() throws FailureException {
        try (Target target = jvm.attach()) {
            target.ask("detach");
        }
        spec.commandLine().getErr().println("The agent has left process " + jvm.pid() + ".");
        return 0;
    }
}
