// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A class loader that defines some classes of the application once more. */
public class OwnLoader extends ClassLoader {

    private static final List<WeakReference<Class<?>>> DEFINED = new CopyOnWriteArrayList<>();

    OwnLoader() {
        super(OwnLoader.class.getClassLoader());
    }

    /** Makes an instance of a class that only its own loader has defined. */
    public static Supplier<?> make(Class<?> type) {
        return new OwnLoader().instanceOf(type);
    }

    /** Returns the classes that such loaders have defined. */
    public static List<WeakReference<Class<?>>> defined() {
        return DEFINED;
    }

    Supplier<?> instanceOf(Class<?> type) {
        String file = type.getName().replace('.', '/') + ".class";
        try (InputStream in = getParent().getResourceAsStream(file)) {
            byte[] bytes = in.readAllBytes();
            Class<?> own = defineClass(type.getName(), bytes, 0, bytes.length);
            DEFINED.add(new WeakReference<>(own));
            return (Supplier<?>) own.getDeclaredConstructor().newInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
