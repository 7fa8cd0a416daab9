// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import picocli.CommandLine.Command;

/** {@code heapsampler detach}. */
@Command(
        name = "detach",
        description =
                "Ends the agent in a running JVM, however it was started. The agent writes its"
                        + " files a last time. Sampling stops unless others hold the sampler.")
final class DetachCommand extends CliCommand.OnJvm {

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
