// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Allocations that {@link NoLeaks} and {@link MaxRetained} let stay alive, in a test or in all
 * tests of a class. It asserts nothing by itself: a test with neither of them is refused.
 *
 * <pre>{@code
 * @AllowedLeak(reason = "one entry per currency, 180 at most", frames = "com.acme.Money.parse")
 * }</pre>
 *
 * <p>For all tests there is a file, which {@code heapsampler.junit.suppressions} names, with lines
 * such as {@code leak:com.acme.Money.parse # one entry per currency}. A permission that was never
 * needed is logged at the end of the run; with {@code heapsampler.junit.suppressions.unused=fail}
 * it fails the run.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@Repeatable(AllowedLeak.Several.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface AllowedLeak {

    /** {@return why this is no leak: a sentence, not empty} */
    String reason();

    /**
     * {@return the allocations that may stay alive: patterns of a class or method, of which one
     * must match the class of the object or a frame; a star stands for any characters}
     */
    String[] frames();

    /** Several permissions. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @ExtendWith(HeapAssertionsExtension.class)
    @interface Several {

        /** {@return the permissions, two or more} */
        AllowedLeak[] value();
    }
}
