// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles real sources, over and over, in this process and into memory. */
final class SourceCompiler implements AutoCloseable {

    private static final String FOLDER = "org/h2/value/";

    /** These sources need libraries that are not there. */
    private static final List<String> FOREIGN = List.of("org.locationtech.jts");

    private static final List<String> OPTIONS =
            List.of(
                    "-proc:none",
                    "-nowarn",
                    "-Xlint:none",
                    "-implicit:none",
                    "-classpath",
                    System.getProperty("java.class.path"));

    private final JavaCompiler compiler;
    private final StandardJavaFileManager files;
    private final List<MemoryFiles.Source> sources;

    private SourceCompiler(JavaCompiler compiler, List<MemoryFiles.Source> sources) {
        this.compiler = compiler;
        this.files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        this.sources = sources;
    }

    /** Reads the sources. To be called only where the module {@code jdk.compiler} is there. */
    static SourceCompiler of(Path sourcesJar) throws IOException {
        List<MemoryFiles.Source> sources = new ArrayList<>();
        try (JarFile jar = new JarFile(sourcesJar.toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String name = entry.getName();
                if (!name.startsWith(FOLDER) || !name.endsWith(".java")) {
                    continue;
                }
                try (InputStream in = jar.getInputStream(entry)) {
                    String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    if (FOREIGN.stream().noneMatch(text::contains)) {
                        sources.add(new MemoryFiles.Source(name, text));
                    }
                }
            }
        }
        if (sources.isEmpty()) {
            throw new IOException("no sources of " + FOLDER + " in " + sourcesJar);
        }
        return new SourceCompiler(ToolProvider.getSystemJavaCompiler(), sources);
    }

    /** Compiles all files once and returns how many that were. */
    int compile() {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        MemoryFiles output = new MemoryFiles(files);
        if (!compiler.getTask(null, output, diagnostics, OPTIONS, null, sources).call()) {
            throw new IllegalStateException("the sources do not compile: " + first(diagnostics));
        }
        return sources.size();
    }

    private static String first(DiagnosticCollector<JavaFileObject> diagnostics) {
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .findFirst()
                .map(Object::toString)
                .orElse("(no message)");
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
