// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Refuses names of classes and packages that no sample can match, and says the right spelling. */
public final class FilterNames {

    /** A name without a dot that is a class of one of these is meant to be that class. */
    private static final List<String> WELL_KNOWN =
            List.of("java.lang.", "java.util.", "java.util.concurrent.", "java.io.", "java.time.");

    private static final Map<String, String> PRIMITIVES =
            Map.of(
                    "Z", "boolean", "B", "byte", "C", "char", "S", "short", "I", "int", "J", "long",
                    "F", "float", "D", "double");

    /** What differs from run to run; snapshots have names without it. */
    private static final Pattern OF_THIS_RUN =
            Pattern.compile(
                    "/0x[0-9a-fA-F]+|(?<=\\$\\$Lambda)\\$?\\d+|(?<=^jdk\\.proxy)\\d+"
                            + "|(?<=\\.\\$Proxy)\\d+");

    private FilterNames() {}

    /**
     * Returns the name under which snapshots show the class.
     *
     * @throws IllegalArgumentException if no object can be of this class
     */
    public static String of(Class<?> type) {
        boolean isAbstract = Modifier.isAbstract(type.getModifiers()) && !type.isArray();
        if (type.isPrimitive() || isAbstract) {
            throw new IllegalArgumentException(
                    "className "
                            + type.getName()
                            + " has no objects of its own: it is "
                            + (type.isPrimitive() ? "primitive" : "abstract or an interface")
                            + ". Name the class that the code creates.");
        }
        return withoutRun(type.getTypeName());
    }

    /**
     * Returns the name.
     *
     * @throws IllegalArgumentException if it is not the name of a class
     */
    public static String checkClass(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("className must not be empty");
        }
        if (name.contains("*")) {
            String inside = plain(name.replaceAll("[.*]+$", ""));
            boolean isPackage = name.matches("[^*]+\\.\\*+") && !inside.isEmpty();
            throw refused(
                    "className",
                    name,
                    "there are no patterns. "
                            + (isPackage
                                    ? "Use packageName(\"" + inside + "\")."
                                    : "Name each class, or use packageName()."));
        }
        String right = rightClass(name);
        if (!right.equals(name)) {
            throw refused("className", name, remedy(right));
        }
        return name;
    }

    /**
     * Returns the name.
     *
     * @throws IllegalArgumentException if it is not the name of a package
     */
    public static String checkPackage(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("packageName must not be empty");
        }
        String right = plain(name.replaceAll("[./*]+$", ""));
        if (right.contains("*") || right.isEmpty()) {
            throw refused(
                    "packageName",
                    name,
                    "there are no patterns. Name each package; the packages below it are"
                            + " included.");
        }
        if (!right.equals(name)) {
            throw refused("packageName", name, remedy(right));
        }
        if (isJdkClass(name)) {
            throw refused("packageName", name, "it is a class. Use className(\"" + name + "\").");
        }
        return name;
    }

    private static String remedy(String right) {
        return right.isEmpty()
                ? "names look like \"com.acme.Cart\" or \"byte[]\"."
                : "it has another form than names in Java source. Write \"" + right + "\".";
    }

    private static IllegalArgumentException refused(String what, String name, String why) {
        return new IllegalArgumentException(what + " \"" + name + "\" matches no class: " + why);
    }

    private static String rightClass(String name) {
        String text = withoutRun(name.replaceAll("\\s", ""));
        int dimensions = 0;
        while (text.startsWith("[")) {
            text = text.substring(1);
            dimensions++;
        }
        while (text.endsWith("[]")) {
            text = text.substring(0, text.length() - 2);
            dimensions++;
        }
        String element = element(text, dimensions > 0);
        if (PRIMITIVES.containsValue(element) && dimensions == 0) {
            dimensions = 1;
        }
        return element.isEmpty() ? "" : element + "[]".repeat(dimensions);
    }

    private static String element(String text, boolean isArray) {
        String primitive = isArray ? PRIMITIVES.get(text) : null;
        if (primitive != null) {
            return primitive;
        }
        boolean isDescriptor = text.startsWith("L") && text.endsWith(";");
        String name = isDescriptor ? text.substring(1, text.length() - 1) : text;
        name = plain(name.replaceAll("\\.(class|java)$", ""));
        String known = name.contains(".") ? nested(name) : wellKnown(name);
        return known == null ? name : known;
    }

    /** Returns the binary name of a nested class of the JDK; null if it is none. */
    private static @Nullable String nested(String name) {
        String binary = name;
        while (binary.contains(".") && !isJdkClass(binary)) {
            int dot = binary.lastIndexOf('.');
            binary = binary.substring(0, dot) + "$" + binary.substring(dot + 1);
        }
        return binary.contains(".") ? binary : null;
    }

    private static @Nullable String wellKnown(String name) {
        for (String start : WELL_KNOWN) {
            if (!name.isEmpty() && isJdkClass(start + name)) {
                return start + name;
            }
        }
        return null;
    }

    private static boolean isJdkClass(String name) {
        try {
            Class.forName(name, false, null);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Returns the name with single dots between its parts. */
    private static String plain(String name) {
        return name.strip().replaceAll("[./]+", ".").replaceAll("^\\.|\\.$", "");
    }

    private static String withoutRun(String name) {
        return OF_THIS_RUN.matcher(name).replaceAll("");
    }
}
