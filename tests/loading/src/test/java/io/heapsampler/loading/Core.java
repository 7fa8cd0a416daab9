// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.support.Until;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The artifact under test: the core jar, or the folder of its classes in a build without jars. */
final class Core {

    private static final String VERSION_FILE = "META-INF/heapsampler/core.properties";

    private Core() {}

    static Path path() {
        return origin(HeapSampler.class);
    }

    static Path testClasses() {
        return origin(Core.class);
    }

    /** Returns the classes that tests share. */
    static Path support() {
        return origin(Until.class);
    }

    private static Path origin(Class<?> type) {
        try {
            URI location = type.getProtectionDomain().getCodeSource().getLocation().toURI();
            return Path.of(location);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the version of the classes. */
    static String version() throws IOException {
        Properties properties = new Properties();
        properties.load(new ByteArrayInputStream(entries().get(VERSION_FILE)));
        return properties.getProperty("version");
    }

    static String libraryName() throws IOException {
        return "libheapsampler-" + version() + ".so";
    }

    /** Returns the name of the library in the jar, for the platform of this JVM. */
    static String libraryEntry() throws IOException {
        String arch = System.getProperty("os.arch");
        return "META-INF/native/linux-"
                + (arch.equals("amd64") ? "x86_64" : arch)
                + "/"
                + libraryName();
    }

    static byte[] library() throws IOException {
        byte[] library = entries().get(libraryEntry());
        assertThat(library).as("%s in %s", libraryEntry(), path()).isNotNull();
        return library;
    }

    /** Writes the library, under its own name, into a folder. */
    static Path libraryIn(Path folder) throws IOException {
        Files.createDirectories(folder);
        return Files.write(folder.resolve(libraryName()), library());
    }

    /** Returns all that the artifact holds, by name. */
    static Map<String, byte[]> entries() throws IOException {
        if (Files.isDirectory(path())) {
            return entries(path());
        }
        try (FileSystem jar = FileSystems.newFileSystem(path())) {
            return entries(jar.getPath("/"));
        }
    }

    /** Returns all files below a folder, by name. */
    static Map<String, byte[]> entries(Path root) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root)) {
            walk.filter(Files::isRegularFile).forEach(files::add);
        }
        Map<String, byte[]> entries = new TreeMap<>();
        for (Path file : files) {
            entries.put(root.relativize(file).toString(), Files.readAllBytes(file));
        }
        return entries;
    }
}
