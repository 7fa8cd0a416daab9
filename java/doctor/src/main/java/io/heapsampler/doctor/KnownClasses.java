// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapFrame;
import io.heapsampler.internal.shared.LibraryCode;
import java.util.List;
import java.util.Set;

/** The classes that rules search for, by name: no class is loaded here. */
final class KnownClasses {

    /** Classes that may be owners. */
    static final Set<String> OWNERS = Set.copyOf(Table.words("owners"));

    private static final List<String> PLAIN = Table.words("plain");
    private static final Set<String> REFERENCES = Set.copyOf(Table.words("references"));

    /** Packages of classes that may be owners, with those below. */
    static List<String> ownerPackages() {
        List<String> all = Table.words("owner.packages");
        all.addAll(LibraryCode.nativePackages());
        return all;
    }

    /** Does an object own memory outside of the heap, or was it made by one that does? */
    static boolean isOwner(String className, List<HeapFrame> stack) {
        boolean isOwner = isOwner(className);
        for (HeapFrame frame : stack) {
            if (isOwner || !frame.methodName().equals("<init>")) {
                break;
            }
            isOwner = isOfNative(frame.className());
        }
        return isOwner;
    }

    /** Those of the JDK, of libraries of native code, and of others by habit. */
    private static boolean isOwner(String className) {
        return isOfNative(className)
                || OWNERS.contains(className)
                || className.startsWith("java.util.zip.")
                || className.contains("Cleaner")
                || className.endsWith("ByteBuf")
                || className.endsWith("ByteBufferR");
    }

    /** By their names: exceptions, constants, arrays, lambdas and helpers are none. */
    private static boolean isOfNative(String className) {
        if (!LibraryCode.isOfNative(className) || className.contains("$$Lambda")) {
            return false;
        }
        boolean isPlain = false;
        for (String part : className.split("\\$", -1)) { // Such as the codes of a status.
            for (String end : PLAIN) {
                isPlain |= part.endsWith(end);
            }
        }
        return !isPlain;
    }

    /** References of any kind, finalizers and cleaners; atomic ones refer as fields do. */
    static boolean isReference(String className) {
        return REFERENCES.contains(className)
                || className.startsWith("java.lang.ref.")
                || className.startsWith("jdk.internal.ref.")
                || (className.endsWith("Reference")
                        && !className.startsWith("java.util.concurrent.atomic."))
                || className.endsWith("WeakEntry");
    }

    /** Misses anonymous loaders and those with other names. */
    static boolean isLoader(String className) {
        return className.endsWith("Loader");
    }

    /**
     * Is it a class loader, or allocated where one is made or a class is defined? A loader is small
     * and seldom sampled; the other objects are much larger.
     */
    static boolean isOfClasses(String className, List<HeapFrame> stack) {
        boolean isMeant = isLoader(className);
        for (HeapFrame frame : stack) {
            boolean isIn = frame.className().equals("java.lang.ClassLoader");
            String method = isIn ? frame.methodName() : "";
            isMeant |= method.equals("<init>") || method.startsWith("defineClass");
        }
        return isMeant;
    }
}
