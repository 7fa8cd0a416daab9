// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.api;

import io.heapsampler.ApiStatus;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One type of the API as text: a line for the type, and one for each member, sorted. */
final class TypeText {

    /** Packages that a reader knows; others are written out. */
    private static final Pattern KNOWN =
            Pattern.compile(
                    "\\b(?:java\\.(?:lang|util|util\\.function|util\\.stream|time|io|nio\\.file)"
                            + "|io\\.heapsampler(?:\\.[a-z]+)*)\\.(?=[A-Z])");

    private static final Set<String> OF_OBJECT =
            Set.of("equals(@Nullable Object)", "equals(Object)", "hashCode()", "toString()");

    private final Class<?> type;

    TypeText(Class<?> type) {
        this.type = type;
    }

    static boolean isApi(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    void appendTo(StringBuilder text) {
        text.append('\n').append(head()).append('\n');
        for (String member : members()) {
            text.append("    ").append(member).append('\n');
        }
    }

    // --- The type --------------------------------------------------------------------------------

    private String head() {
        ApiStatus status = type.getAnnotation(ApiStatus.class);
        return modifiers(type.getModifiers() & ~Modifier.INTERFACE & ignored())
                + (type.isSealed() ? "sealed " : "")
                + kind()
                + " "
                + type.getName().replace('$', '.')
                + variables(type.getTypeParameters())
                + supertypes()
                + (status == null ? "" : "  // " + status.value() + " since " + status.since());
    }

    private int ignored() {
        boolean isAbstractAnyway = type.isInterface();
        boolean isFinalAnyway = type.isEnum() || type.isRecord();
        return ~((isAbstractAnyway ? Modifier.ABSTRACT : 0)
                | (isFinalAnyway ? Modifier.FINAL | Modifier.ABSTRACT : 0)
                | (type.isMemberClass() && !isOpen() ? Modifier.STATIC : 0));
    }

    private boolean isOpen() {
        return !type.isInterface() && !type.isEnum() && !type.isRecord();
    }

    private String kind() {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        return type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private String supertypes() {
        AnnotatedType parent = type.getAnnotatedSuperclass();
        boolean hasParent = isOpen() && parent != null && !parent.getType().equals(Object.class);
        String interfaces =
                type.isAnnotation()
                        ? ""
                        : Stream.of(type.getAnnotatedInterfaces())
                                .map(TypeText::name)
                                .sorted()
                                .collect(Collectors.joining(", "));
        return (hasParent ? " extends " + name(parent) : "")
                + (interfaces.isEmpty()
                        ? ""
                        : (type.isInterface() ? " extends " : " implements ") + interfaces);
    }

    // --- Its members -----------------------------------------------------------------------------

    private Set<String> members() {
        Set<String> members = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            if (isApi(field.getModifiers()) && !field.isSynthetic()) {
                members.add(field(field));
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isApi(constructor.getModifiers()) && !constructor.isSynthetic()) {
                members.add(modifiers(constructor.getModifiers()) + executable(constructor, "new"));
            }
        }
        // What a type inherits from a parent that is no API is its own.
        for (Class<?> each = type; each != null; each = parentThatIsNoApi(each)) {
            for (Method method : each.getDeclaredMethods()) {
                addMethod(members, method);
            }
        }
        return members;
    }

    private static @Nullable Class<?> parentThatIsNoApi(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return parent == null || Modifier.isPublic(parent.getModifiers()) ? null : parent;
    }

    private void addMethod(Set<String> members, Method method) {
        boolean isOfEnum = type.isEnum() && Set.of("values", "valueOf").contains(method.getName());
        if (!isApi(method.getModifiers()) || method.isSynthetic() || isOfEnum) {
            return;
        }
        String name = executable(method, method.getName());
        if (!OF_OBJECT.contains(name)) {
            int left = type.isInterface() ? Modifier.PUBLIC | Modifier.ABSTRACT : 0;
            Object value = method.getDefaultValue();
            members.add(
                    (method.isDefault() ? "default " : "")
                            + modifiers(method.getModifiers() & ~left)
                            + variables(method.getTypeParameters())
                            + (method.getTypeParameters().length == 0 ? "" : " ")
                            + name(method.getAnnotatedReturnType())
                            + " "
                            + name
                            + (value == null ? "" : " default " + value(value)));
        }
    }

    private String field(Field field) {
        if (field.isEnumConstant()) {
            return field.getName();
        }
        return modifiers(field.getModifiers())
                + name(field.getAnnotatedType())
                + " "
                + field.getName()
                + constant(field);
    }

    /** Callers have the values of constants compiled in. */
    private static String constant(Field field) {
        int both = Modifier.STATIC | Modifier.FINAL;
        boolean isConstant =
                (field.getModifiers() & both) == both
                        && Modifier.isPublic(field.getModifiers())
                        && (field.getType().isPrimitive() || field.getType() == String.class);
        if (!isConstant) {
            return "";
        }
        try {
            return " = " + value(field.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String value(Object value) {
        if (value instanceof Object[] values) {
            return Arrays.stream(values)
                    .map(TypeText::value)
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Class<?> type) {
            return shortened(type.getTypeName());
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }

    private String executable(Executable executable, String name) {
        List<String> parameters =
                Stream.of(executable.getAnnotatedParameterTypes()).map(TypeText::name).toList();
        String list = String.join(", ", parameters);
        if (executable.isVarArgs()) {
            list = list.substring(0, list.length() - 2) + "...";
        }
        String thrown =
                Stream.of(executable.getGenericExceptionTypes())
                        .map(each -> shortened(each.getTypeName()))
                        .sorted()
                        .collect(Collectors.joining(", "));
        return name + "(" + list + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    // --- Names -----------------------------------------------------------------------------------

    private static String modifiers(int modifiers) {
        int shown =
                Modifier.PUBLIC
                        | Modifier.PROTECTED
                        | Modifier.STATIC
                        | Modifier.FINAL
                        | Modifier.ABSTRACT;
        String text = Modifier.toString(modifiers & shown);
        return text.isEmpty() ? "" : text + " ";
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Stream.of(variables)
                        .map(TypeText::variable)
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String variable(TypeVariable<?> variable) {
        String bounds =
                Stream.of(variable.getAnnotatedBounds())
                        .filter(bound -> !bound.getType().equals(Object.class) || isNullable(bound))
                        .map(TypeText::name)
                        .collect(Collectors.joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    private static boolean isNullable(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private static String name(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            return name(array.getAnnotatedGenericComponentType())
                    + (isNullable(type) ? " @Nullable []" : "[]");
        }
        String mark = isNullable(type) ? "@Nullable " : "";
        if (type instanceof AnnotatedWildcardType wildcard) {
            return mark + wildcard(wildcard);
        }
        if (type instanceof AnnotatedParameterizedType parameterized) {
            Type raw = ((ParameterizedType) type.getType()).getRawType();
            return Stream.of(parameterized.getAnnotatedActualTypeArguments())
                    .map(TypeText::name)
                    .collect(
                            Collectors.joining(
                                    ", ", mark + shortened(raw.getTypeName()) + "<", ">"));
        }
        return mark + shortened(type.getType().getTypeName());
    }

    private static String wildcard(AnnotatedWildcardType wildcard) {
        AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
        if (lower.length > 0) {
            return "? super " + name(lower[0]);
        }
        AnnotatedType upper = wildcard.getAnnotatedUpperBounds()[0];
        return upper.getType().equals(Object.class) && !isNullable(upper)
                ? "?"
                : "? extends " + name(upper);
    }

    private static String shortened(String name) {
        return KNOWN.matcher(name).replaceAll("").replace('$', '.');
    }
}
