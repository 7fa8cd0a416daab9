// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Objects and their references, as something other than the sampler shows them.
 *
 * @param <O> an object
 */
interface Heap<O> {

    /** Returns a set by identity. */
    Set<O> set();

    /** Returns the objects in the static fields of that name, of all classes of that name. */
    Collection<O> statics(String className, String field);

    /** Returns the live thread of that id; empty if there is none. */
    Collection<O> threads(long id);

    /** Returns what a root may lead to that is neither a static field nor a thread. */
    Collection<O> roots(Path path);

    /** Returns the object in a field; empty for null and where there is no such field. */
    Collection<O> field(O object, String className, String field);

    /** Returns the elements of an array of references, without null. */
    Collection<O> elements(O array);

    /** Returns where a reference without a name leads: to a class, a class loader, a superclass. */
    Collection<O> unnamed(O object, Step.Kind kind);

    /** Returns everything that an object refers to. */
    Collection<O> all(O object);

    /**
     * Returns the class of an object, of a class object the class itself, as {@link Names#of}
     * writes it.
     */
    String className(O object);

    /** Returns whether it is a class object. */
    boolean isClass(O object);

    /** Returns whether it shows static fields of a class of that name. */
    boolean hasClass(String className);

    /** Returns a list of one, or of none for null. */
    static <T> List<T> ofNullable(T object) {
        return object == null ? List.of() : List.of(object);
    }
}
