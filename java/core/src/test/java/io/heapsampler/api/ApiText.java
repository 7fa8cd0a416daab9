// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.ApiStatus;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The public API of a module, compared with its file {@code api.txt}, so that no change of the API
 * goes unnoticed. The file lists all public and protected members of the types in the packages that
 * the module exports to all, without those that only repeat a method of {@code Object}.
 *
 * <p>Reads {@code target/classes} in the working directory. Write the file anew with the command in
 * {@link #UPDATE}.
 */
public final class ApiText {

    private static final String UPDATE =
            "mvn test -pl"
                + " java/core,java/export,java/http,java/push,java/opentelemetry,java/micrometer,java/jmh,java/junit,java/assertj,java/doctor"
                + " -am -Dtest=ApiTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheapsampler.api.update";

    private static final Path FILE = Path.of("api.txt");
    private static final Path CLASSES = Path.of("target/classes");
    private static final Path SOURCES = Path.of("src/main/java");

    /** The name in the line of a type. */
    private static final Pattern TYPE = Pattern.compile("^.*?(io\\.heapsampler\\.[\\w.]+).*$");

    private ApiText() {}

    /** Compares the API with the file, or writes the file if the update property is set. */
    public static void check() throws Exception {
        List<Class<?>> types = types();
        assertThat(types).isNotEmpty();
        for (Class<?> type : types) {
            checkMarks(type);
        }
        String text = text(types);
        if (System.getProperty("heapsampler.api.update") != null) {
            Files.writeString(FILE, text);
            return;
        }
        String committed = Files.exists(FILE) ? Files.readString(FILE) : "";
        List<String> changes = new ArrayList<>();
        addMissing(changes, "- ", committed, text);
        addMissing(changes, "+ ", text, committed);
        assertThat(changes)
                .as("The API differs from %s. If that is intended, run: %s", FILE, UPDATE)
                .isEmpty();
    }

    /** Adds what one text has and another has not. */
    private static void addMissing(List<String> changes, String sign, String of, String in) {
        Set<String> known = Set.copyOf(qualified(in));
        for (String line : qualified(of)) {
            if (!known.contains(line)) {
                changes.add(sign + line);
            }
        }
    }

    /** Returns the lines, each member with the name of its type. */
    private static Set<String> qualified(String text) {
        Set<String> lines = new LinkedHashSet<>();
        String type = "";
        for (String line : text.lines().toList()) {
            if (line.startsWith("    ")) {
                lines.add(type + ": " + line.strip());
            } else if (!line.startsWith("#") && !line.isEmpty()) {
                lines.add(line);
                type = TYPE.matcher(line).replaceFirst("$1");
            }
        }
        return lines;
    }

    private static String text(List<Class<?>> types) {
        StringBuilder text = new StringBuilder();
        text.append("# The public API of this module. A test compares it with the classes.\n");
        text.append("# Update: ").append(UPDATE).append('\n');
        for (Class<?> type : types) {
            new TypeText(type).appendTo(text);
        }
        return text.toString();
    }

    /** Each type states its status and the version that brought it. */
    private static void checkMarks(Class<?> type) throws IOException {
        if (type.isMemberClass()) {
            return;
        }
        assertThat(type.isAnnotationPresent(ApiStatus.class))
                .as("%s has @ApiStatus", type)
                .isTrue();
        Path source = SOURCES.resolve(type.getName().replace('.', '/') + ".java");
        assertThat(Files.readString(source)).as("Javadoc of %s", type).contains("* @since ");
    }

    private static List<Class<?>> types() throws Exception {
        List<Class<?>> types = new ArrayList<>();
        for (String name : exported()) {
            Path folder = CLASSES.resolve(name.replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.sorted().toList()) {
                    String simple = file.getFileName().toString();
                    if (simple.endsWith(".class") && !simple.equals("package-info.class")) {
                        String type = name + "." + simple.substring(0, simple.length() - 6);
                        Class<?> loaded =
                                Class.forName(type, false, ApiText.class.getClassLoader());
                        if (isAccessible(loaded)) {
                            types.add(loaded);
                        }
                    }
                }
            }
        }
        types.sort(Comparator.comparing(Class::getName));
        return types;
    }

    /** Of a jar without a module descriptor all packages. */
    private static List<String> exported() throws IOException {
        Path descriptor = CLASSES.resolve("module-info.class");
        if (Files.notExists(descriptor)) {
            return packages();
        }
        try (InputStream in = Files.newInputStream(descriptor)) {
            return ModuleDescriptor.read(in).exports().stream()
                    .filter(exports -> !exports.isQualified())
                    .map(Exports::source)
                    .sorted()
                    .toList();
        }
    }

    private static List<String> packages() throws IOException {
        try (Stream<Path> files = Files.walk(CLASSES)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> CLASSES.relativize(file.getParent()).toString())
                    .map(folder -> folder.replace('/', '.'))
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    private static boolean isAccessible(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        Class<?> outer = type.getEnclosingClass();
        return TypeText.isApi(type.getModifiers()) && (outer == null || isAccessible(outer));
    }
}
