// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.FailureException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The JVM that a command is about: its first argument. */
final class Jvm {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "PID", description = "The process id of the JVM.")
    private String pid = "";

    String pid() {
        return pid;
    }

    Target attach() throws FailureException {
        return Target.attach(pid, command.commandLine().getErr());
    }
}
