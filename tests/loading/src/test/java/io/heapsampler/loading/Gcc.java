// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Makes libraries unfit for use. The build needs a C compiler anyway. */
final class Gcc {

    private Gcc() {}

    /** Returns the folder of the native sources. */
    static Path sources() {
        return Path.of(System.getProperty("loading.sources"));
    }

    /** Compiles one source text into a library. */
    static Path compile(Path folder, String source, String... flags) throws Exception {
        Path file = Files.writeString(folder.resolve("library.c"), source);
        return link(folder, List.of(file), flags);
    }

    /** Compiles all the C files of a folder into a library. */
    static Path compileAll(Path folder, Path sources, String... flags) throws Exception {
        try (Stream<Path> files = Files.list(sources)) {
            return link(folder, files.filter(file -> isC(file)).sorted().toList(), flags);
        }
    }

    private static boolean isC(Path file) {
        return file.toString().endsWith(".c");
    }

    private static Path link(Path folder, List<Path> files, String... flags)
            throws IOException, InterruptedException {
        Path library = folder.resolve("compiled.so");
        Path include = Path.of(System.getProperty("loading.include"));
        List<String> command = new ArrayList<>(List.of("gcc", "-w", "-shared", "-fPIC"));
        command.addAll(List.of("-std=c11", "-D_GNU_SOURCE", "-pthread"));
        command.addAll(List.of("-I" + include, "-I" + include.resolve("linux")));
        command.addAll(Arrays.asList(flags));
        command.addAll(List.of("-o", library.toString()));
        files.forEach(file -> command.add(file.toString()));
        command.add("-lm");
        Path log = folder.resolve("gcc.log");
        Process gcc =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        assertThat(gcc.waitFor()).as("%s:\n%s", command, Files.readString(log)).isZero();
        return library;
    }
}
