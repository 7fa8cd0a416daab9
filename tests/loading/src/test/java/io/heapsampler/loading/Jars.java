// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/** Writes jars. */
final class Jars {

    private static final String FROM = "io/heapsampler/";

    private Jars() {}

    /** An executable jar that holds nothing but a manifest. */
    static Path executable(Path jar, Class<?> main, String enableNativeAccess) throws IOException {
        Attributes attributes = new Attributes();
        attributes.put(Attributes.Name.MAIN_CLASS, main.getName());
        attributes.put(
                Attributes.Name.CLASS_PATH, Core.path().toUri() + " " + Core.testClasses().toUri());
        attributes.putValue("Enable-Native-Access", enableNativeAccess);
        return write(jar, attributes, Map.of());
    }

    /** The artifact under test without one entry. */
    static Path without(Path jar, String entry) throws IOException {
        Map<String, byte[]> entries = Core.entries();
        entries.remove("META-INF/MANIFEST.MF");
        entries.remove(entry);
        return write(jar, new Attributes(), entries);
    }

    /** The classes of HeapSampler and of these tests, moved to another package, as by shading. */
    static Path relocated(Path jar, String to) throws IOException {
        Map<String, byte[]> all = new TreeMap<>(Core.entries());
        all.putAll(Core.entries(Core.testClasses()));
        all.remove("module-info.class");
        all.remove("META-INF/MANIFEST.MF");
        Map<String, byte[]> moved = new TreeMap<>();
        all.forEach(
                (name, bytes) ->
                        moved.put(
                                move(name, to),
                                name.endsWith(".class") ? relocate(bytes, to) : bytes));
        return write(jar, new Attributes(), moved);
    }

    private static String move(String name, String to) {
        return name.startsWith(FROM) ? to + name.substring(FROM.length()) : name;
    }

    private static byte[] relocate(byte[] bytes, String to) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(bytes).accept(new ClassRemapper(writer, new Relocation(to)), 0);
        return writer.toByteArray();
    }

    /** Moves names of classes, also where they are text, as shading plugins do. */
    private static final class Relocation extends Remapper {

        private final String to;

        Relocation(String to) {
            this.to = to;
        }

        @Override
        public String map(String name) {
            return move(name, to);
        }

        @Override
        public Object mapValue(Object value) {
            String dotted = FROM.replace('/', '.');
            if (value instanceof String text && text.startsWith(dotted)) {
                return to.replace('/', '.') + text.substring(dotted.length());
            }
            return super.mapValue(value);
        }
    }

    private static Path write(Path jar, Attributes attributes, Map<String, byte[]> entries)
            throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putAll(attributes);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream stream = new JarOutputStream(file, manifest)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                stream.putNextEntry(new JarEntry(entry.getKey()));
                stream.write(entry.getValue());
                stream.closeEntry();
            }
        }
        return jar;
    }
}
