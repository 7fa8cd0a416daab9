// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.ClassLoaders;
import io.heapsampler.internal.shared.LibraryCode;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Classes outside of the JDK that declare native methods, or inherit them: their objects often own
 * memory of a native library. Of the JDK's classes {@link KnownClasses} has the names, since many
 * of them have native methods and own nothing.
 */
final class NativeClasses {

    private NativeClasses() {}

    /** Returns the names of those of which a snapshot has objects, or parts that they made. */
    static Set<String> of(HeapSnapshot snapshot) {
        Set<String> names = new HashSet<>();
        for (HeapSite site : snapshot.sites()) {
            names.add(site.className());
            names.addAll(makers(site.stack()));
        }
        names.removeIf(LibraryCode::isOfJdk);
        Set<String> found = new HashSet<>();
        for (Class<?> each : ClassLoaders.loaded(names)) {
            if (isNative(each)) {
                found.add(each.getName());
            }
        }
        return found;
    }

    /** The classes in whose constructors an object was made: it is a part of theirs. */
    static List<String> makers(List<HeapFrame> stack) {
        return stack.stream()
                .takeWhile(frame -> frame.methodName().equals("<init>"))
                .map(HeapFrame::className)
                .toList();
    }

    private static boolean isNative(Class<?> type) {
        boolean isNative = false;
        try {
            Class<?> each = type;
            while (each != null && !isNative && !LibraryCode.isOfJdk(each.getName())) {
                for (Method method : each.getDeclaredMethods()) {
                    isNative |= Modifier.isNative(method.getModifiers());
                }
                each = each.getSuperclass();
            }
        } catch (LinkageError e) {
            return false; // It has methods with classes that do not exist here.
        }
        return isNative;
    }
}
