// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles a package of H2 with a compiler that is new each time. {@code -Dbench.sources} names the
 * archive of sources.
 */
final class JavacWork implements Workload {

    private static final int FILES = 20;
    private static final String PACKAGE = "org/h2/value/";

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final List<Source> sources = readSources();
    private int expected = -1;

    JavacWork() throws IOException {}

    private static List<Source> readSources() throws IOException {
        List<Source> sources = new ArrayList<>();
        try (ZipFile zip = new ZipFile(System.getProperty("bench.sources"))) {
            Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements() && sources.size() < FILES) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().startsWith(PACKAGE) && entry.getName().endsWith(".java")) {
                    byte[] bytes = zip.getInputStream(entry).readAllBytes();
                    sources.add(
                            new Source(entry.getName(), new String(bytes, StandardCharsets.UTF_8)));
                }
            }
        }
        Workload.check(sources.size() == FILES, sources.size() + " sources");
        return sources;
    }

    @Override
    public void work() throws IOException {
        List<String> options =
                List.of("-proc:none", "-nowarn", "-Xlint:none", "-classpath", classPath());
        try (JavaFileManager plain = compiler.getStandardFileManager(null, null, null);
                Discarding files = new Discarding(plain)) {
            boolean isCompiled =
                    compiler.getTask(null, files, d -> {}, options, null, sources).call();
            if (expected < 0) {
                expected = files.classes;
            }
            Workload.check(isCompiled && files.classes == expected, files.classes + " classes");
        }
    }

    private static String classPath() {
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (new File(element).getName().startsWith("h2-")) {
                return element;
            }
        }
        throw new IllegalStateException("no h2 in the class path");
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Counts the classes and lets them go. */
    private static final class Discarding extends ForwardingJavaFileManager<JavaFileManager> {

        private int classes;

        Discarding(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            classes++;
            URI uri = URI.create("string:///" + name.replace('.', '/') + kind.extension);
            return new SimpleJavaFileObject(uri, kind) {
                @Override
                public OutputStream openOutputStream() {
                    return OutputStream.nullOutputStream();
                }
            };
        }
    }
}
