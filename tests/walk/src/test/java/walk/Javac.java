// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** javac: attributes some of H2's sources, a few at a time; nothing is written. */
final class Javac implements Scenario {

    private static final String FOLDER = "org/h2/value/";
    private static final int FILES = 16;
    private static final int AT_A_TIME = 4;

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    private final List<JavaFileObject> sources = new ArrayList<>();
    private int turn;

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("memory:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    Javac() throws IOException {
        try (JarFile jar = new JarFile(System.getProperty("walk.sources"))) {
            List<JarEntry> entries =
                    jar.stream()
                            .filter(e -> e.getName().startsWith(FOLDER))
                            .filter(e -> e.getName().endsWith(".java"))
                            .sorted(Comparator.comparingLong(JarEntry::getSize))
                            .toList();
            for (JarEntry entry : entries.subList(0, FILES)) {
                try (InputStream in = jar.getInputStream(entry)) {
                    String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    sources.add(new Source(entry.getName(), text));
                }
            }
        }
    }

    @Override
    public void round() throws IOException {
        int from = turn++ * AT_A_TIME % FILES;
        List<String> options =
                List.of(
                        "-proc:none",
                        "-nowarn",
                        "-implicit:none",
                        "-XDshould-stop.ifNoError=FLOW",
                        "-classpath",
                        System.getProperty("java.class.path"));
        boolean compiles =
                compiler.getTask(
                                null,
                                files,
                                null,
                                options,
                                null,
                                sources.subList(from, from + AT_A_TIME))
                        .call();
        if (!compiles) {
            throw new IllegalStateException("the sources do not compile");
        }
    }
}
