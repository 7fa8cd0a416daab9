// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command about one snapshot. */
@Command(mixinStandardHelpOptions = true, versionProvider = Main.Version.class)
abstract class SnapshotCommand implements Callable<Integer> {

    @Spec CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "SNAPSHOT",
            description = "A file that HeapSnapshot.writeTo has saved.")
    Path snapshot = Path.of("");
}
