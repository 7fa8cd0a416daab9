// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * States how far an application may rely on a public type, with all its members and nested types.
 *
 * <p>This annotation is part of HeapSampler, so code that uses HeapSampler compiles without
 * warnings and needs no other library.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface ApiStatus {

    /** How far a type can change. */
    enum Level {
        /** Changes that break callers are made only in a major version. */
        STABLE,

        /** A minor version may change or remove it. */
        EXPERIMENTAL,

        /** Public for technical reasons only. Applications must not use it. */
        INTERNAL
    }

    /** {@return the level} */
    Level value();

    /** {@return since when the type has this level: a version such as {@code 0.1}} */
    String since();
}
