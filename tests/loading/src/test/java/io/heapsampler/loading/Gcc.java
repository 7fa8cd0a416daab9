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

    /** The sources that know their version. */
    private static final String BINDINGS = "jni_bindings.c";

    private static final String ENGINE = "jni_engine.c";

    private static final List<String> VERSIONED = List.of(BINDINGS, ENGINE);

    private Gcc() {}

    /** Returns the folder of the native sources. */
    static Path sources() {
        return Path.of(System.getProperty("loading.sources"));
    }

    /** Returns the source of the table of native methods. */
    static Path bindings() {
        return sources().resolve(BINDINGS);
    }

    /** Compiles one source text into a library. */
    static Path compile(Path folder, String source, String... flags) throws Exception {
        Path file = Files.writeString(folder.resolve("library.c"), source);
        return link(folder, List.of(file), flags);
    }

    /**
     * Compiles the native sources that do not know their version, once for several libraries.
     *
     * @param folder for the objects, which are all there is in it
     */
    static void compileUnversioned(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(sources())) {
            run(folder, files.filter(Gcc::isUnversioned).sorted().toList(), "-c");
        }
    }

    private static boolean isUnversioned(Path file) {
        return file.toString().endsWith(".c")
                && VERSIONED.stream().noneMatch(name -> file.endsWith(name));
    }

    /**
     * Links such objects with the sources that know their version.
     *
     * @param bindings in the place of {@code jni_bindings.c}
     */
    static Path link(Path folder, Path objects, Path bindings, String version) throws Exception {
        List<Path> files = new ArrayList<>(List.of(bindings, sources().resolve(ENGINE)));
        try (Stream<Path> all = Files.list(objects)) {
            all.filter(file -> file.toString().endsWith(".o")).forEach(files::add);
        }
        return link(folder, files, "-I" + sources(), "-DHS_VERSION=\"" + version + "\"");
    }

    private static Path link(Path folder, List<Path> files, String... flags)
            throws IOException, InterruptedException {
        Path library = folder.resolve("compiled.so");
        List<String> all = new ArrayList<>(Arrays.asList(flags));
        all.addAll(List.of("-shared", "-o", library.toString()));
        run(folder, files, all.toArray(String[]::new));
        return library;
    }

    private static void run(Path folder, List<Path> files, String... flags)
            throws IOException, InterruptedException {
        Path include = Path.of(System.getProperty("loading.include"));
        List<String> command = new ArrayList<>(List.of("gcc", "-w", "-fPIC"));
        command.addAll(List.of("-std=c11", "-D_GNU_SOURCE", "-pthread"));
        command.addAll(List.of("-I" + include, "-I" + include.resolve("linux")));
        command.addAll(Arrays.asList(flags));
        files.forEach(file -> command.add(file.toAbsolutePath().toString()));
        command.add("-lm");
        Path log = folder.resolve("gcc.log");
        Process gcc =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        assertThat(gcc.waitFor()).as("%s:\n%s", command, Files.readString(log)).isZero();
    }
}
