// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** Defines classes of its own, in place of those that its parent has under the same names. */
final class Loader extends ClassLoader {

    private final Map<String, byte[]> own;

    Loader(Map<String, byte[]> own) {
        super("walk", Loader.class.getClassLoader());
        this.own = own;
    }

    /** Returns the bytes of classes, to be defined once more. */
    static Map<String, byte[]> copies(Class<?>... templates) {
        Map<String, byte[]> bytes = new HashMap<>();
        for (Class<?> template : templates) {
            bytes.put(template.getName(), bytesOf(template));
        }
        return bytes;
    }

    static byte[] bytesOf(Class<?> type) {
        String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        try (InputStream in = type.getResourceAsStream(file)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes an object of one of its own classes, which must have a constructor for all. */
    <T> T make(String name, Class<T> as) throws ReflectiveOperationException {
        return as.cast(loadClass(name).getDeclaredConstructor().newInstance());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = own.get(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defineClass(name, bytes, 0, bytes.length);
        }
    }
}
