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

    /** A simple name found in one of these packages is taken for that class. */
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
            throw refused("className", name, remedy(name, right));
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
            throw refused(
                    "packageName", name, "it is not a package name. Write \"" + right + "\".");
        }
        if (isJdkClass(name)) {
            throw refused("packageName", name, "it is a class. Use className(\"" + name + "\").");
        }
        return name;
    }

    private static String remedy(String name, String right) {
        if (right.isEmpty()) {
            return "names look like \"com.acme.Cart\" or \"byte[]\".";
        }
        String remedy = "Write \"" + right + "\"";
        return right.endsWith("." + name)
                ? "it has no package. " + remedy + ", or pass the Class if it is one of your own."
                : "it is not a binary class name. " + remedy + ".";
    }

    private static IllegalArgumentException refused(String what, String name, String why) {
        return new IllegalArgumentException(what + " \"" + name + "\" matches no class: " + why);
    }

    private static String rightClass(String name) {
        // A name may have spaces inside: a method of Kotlin can, and gives it to its classes.
        String text = withoutRun(name.strip().replaceAll("\\s*\\[\\s*]", "[]"));
        boolean isDescriptor = text.startsWith("[") && !text.startsWith("[]");
        int dimensions = 0;
        while (text.startsWith("[")) {
            text = text.substring(1);
            dimensions++;
        }
        while (text.endsWith("[]")) {
            text = text.substring(0, text.length() - 2);
            dimensions++;
        }
        String element = element(text, isDescriptor);
        if (PRIMITIVES.containsValue(element) && dimensions == 0) {
            dimensions = 1;
        }
        return element.isEmpty() ? "" : element + "[]".repeat(dimensions);
    }

    private static String element(String text, boolean isDescriptor) {
        String primitive = isDescriptor ? PRIMITIVES.get(text) : null;
        if (primitive != null) {
            return primitive;
        }
        boolean isReference = text.startsWith("L") && text.endsWith(";");
        String name = isReference ? text.substring(1, text.length() - 1) : text;
        name = plain(name.replaceAll("\\.(class|java)$", ""));
        String known = name.contains(".") ? nested(name) : wellKnown(name);
        return known == null ? name : known;
    }

    /**
     * Returns the binary name of a nested class of the JDK; null if it is none. A class that is not
     * found costs time, so only names are tried in which a class seems to contain another.
     */
    private static @Nullable String nested(String name) {
        String binary = name;
        int dot = binary.lastIndexOf('.');
        while (dot > 0
                && Character.isUpperCase(binary.charAt(binary.lastIndexOf('.', dot - 1) + 1))) {
            binary = binary.substring(0, dot) + "$" + binary.substring(dot + 1);
            if (isJdkClass(binary)) {
                return binary;
            }
            dot = binary.lastIndexOf('.');
        }
        return null;
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

    /** Returns the name without what differs from run to run. */
    public static String withoutRun(String name) {
        return OF_THIS_RUN.matcher(name).replaceAll("");
    }
}
