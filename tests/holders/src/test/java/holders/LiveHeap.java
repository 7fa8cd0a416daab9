// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import holders.cases.OwnLoader;
import java.lang.ref.WeakReference;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * This JVM's own heap, by reflection; needs {@code --add-opens} for {@code java.lang} and {@code
 * java.lang.reflect}, through which it opens all others.
 */
final class LiveHeap implements Heap<Object> {

    private final Function<Path, Collection<Object>> roots;
    private final Method allFields;
    private final Method open;
    private final Map<Class<?>, Field[]> fields = new HashMap<>();
    private final Map<Class<?>, String> names = new HashMap<>();

    /**
     * Prepares it.
     *
     * @param roots the objects that a path's root may lead to where reflection cannot show it
     */
    LiveHeap(Function<Path, Collection<Object>> roots) throws ReflectiveOperationException {
        this.roots = roots;
        // Class.getDeclaredFields hides some fields of the JDK's.
        allFields = Class.class.getDeclaredMethod("getDeclaredFields0", boolean.class);
        allFields.setAccessible(true);
        open = AccessibleObject.class.getDeclaredMethod("setAccessible0", boolean.class);
        open.setAccessible(true);
    }

    @Override
    public Set<Object> set() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    @Override
    public Collection<Object> statics(String className, String field) {
        List<Object> values = new ArrayList<>();
        for (Class<?> type : classes(className)) {
            values.addAll(value(type, field, null));
        }
        return values;
    }

    private static List<Class<?>> classes(String name) {
        List<Class<?>> found = new ArrayList<>();
        try {
            found.add(Class.forName(name, false, LiveHeap.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            // It is a loader's of the cases, or hidden.
        }
        OwnLoader.defined().stream()
                .map(WeakReference::get)
                .filter(type -> type != null && type.getName().equals(name))
                .forEach(found::add);
        return found;
    }

    @Override
    public Collection<Object> threads(long id) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getId() == id)
                .map(Object.class::cast)
                .toList();
    }

    @Override
    public Collection<Object> roots(Path path) {
        return roots.apply(path);
    }

    @Override
    public Collection<Object> field(Object object, String className, String field) {
        String wanted = Names.normal(className);
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (className(type).equals(wanted)) {
                return value(type, field, object);
            }
        }
        return List.of();
    }

    private Collection<Object> value(Class<?> type, String name, Object object) {
        for (Field field : fields(type)) {
            if (field.getName().equals(name)
                    && Modifier.isStatic(field.getModifiers()) == (object == null)) {
                return value(field, object);
            }
        }
        return List.of();
    }

    private static Collection<Object> value(Field field, Object object) {
        try {
            return Heap.ofNullable(field.get(object));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private Field[] fields(Class<?> type) {
        return fields.computeIfAbsent(type, this::openFields);
    }

    private Field[] openFields(Class<?> type) {
        try {
            Field[] all = (Field[]) allFields.invoke(type, false);
            for (Field field : all) {
                open.invoke(field, true);
            }
            return all;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Collection<Object> elements(Object array) {
        return array instanceof Object[] elements
                ? Arrays.stream(elements).filter(Objects::nonNull).toList()
                : List.of();
    }

    @Override
    public Collection<Object> unnamed(Object object, Step.Kind kind) {
        Class<?> type = object instanceof Class<?> it ? it : null;
        return switch (kind) {
            case CLASS -> List.of(object.getClass());
            case CLASS_LOADER -> type == null ? List.of() : Heap.ofNullable(type.getClassLoader());
            case SUPERCLASS -> type == null ? List.of() : Heap.ofNullable(type.getSuperclass());
            case INTERFACE -> type == null ? List.of() : List.of((Object[]) type.getInterfaces());
            case PROTECTION_DOMAIN ->
                    type == null ? List.of() : Heap.ofNullable(type.getProtectionDomain());
            default -> List.of();
        };
    }

    @Override
    public Collection<Object> all(Object object) {
        List<Object> all = new ArrayList<>(elements(object));
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : fields(type)) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    all.addAll(value(field, object));
                }
            }
        }
        return all;
    }

    @Override
    public String className(Object object) {
        Class<?> type = object instanceof Class<?> itself ? itself : object.getClass();
        return names.computeIfAbsent(type, Names::of);
    }

    @Override
    public boolean isClass(Object object) {
        return object instanceof Class<?>;
    }

    /** Hidden classes are not found by name. */
    @Override
    public boolean hasClass(String className) {
        return !classes(className).isEmpty();
    }
}
