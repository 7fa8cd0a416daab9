// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import io.heapsampler.assertions.ThreadScope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that leaves no more than this alive, after a forced collection.
 *
 * <pre>{@code
 * @Test
 * @MaxRetained("1 KB")
 * void closesItsSession() {
 *     server.open().close();
 * }
 * }</pre>
 *
 * <p>Objects count that the body of the test allocates and that are still reachable when it has
 * returned. Fields of the test's instance also keep objects alive. An object that takes the place
 * of an older one counts in full, because the older one was allocated before the body: {@link
 * NoLeaks} compares with the objects that were alive before. The first run is judged, unless you
 * request more as with {@link MaxAllocation}: a cache that fills once needs {@code warmup = 1}.
 * Under Epsilon, which collects nothing, the test is aborted.
 *
 * <p>The message of a failure ends with the references that hold the objects, as that of {@link
 * NoLeaks} does.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
@Repeatable(MaxRetained.Several.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface MaxRetained {

    /** {@return the limit, such as {@code "64 KB"}} */
    String value();

    /**
     * {@return whose allocations count: {@link ThreadScope#TEST} by default; {@link
     * ThreadScope#ALL} takes the global lock: nothing runs beside such a test; {@link
     * ThreadScope#INHERITED} is for limits of allocated bytes only}
     */
    ThreadScope threads() default ThreadScope.DEFAULT;

    /** {@return the classes of which objects count, as for {@link MaxAllocation#types}} */
    Class<?>[] types() default {};

    /** {@return the packages of which objects count, as for {@link MaxAllocation#packages}} */
    String[] packages() default {};

    /** {@return patterns of what does not count, as for {@link MaxAllocation#exclude}} */
    String[] exclude() default {};

    /** {@return the runs before those that are judged, as for {@link MaxAllocation#warmup}} */
    int warmup() default -1;

    /** {@return the runs that are judged, as for {@link MaxAllocation#minOf}} */
    int minOf() default -1;

    /** {@return the bytes between two samples, as for {@link MaxAllocation#interval}} */
    String interval() default "";

    /** Several limits for one test. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @ExtendWith(HeapAssertionsExtension.class)
    @ResourceLock(providers = ProcessWideLocks.class)
    @interface Several {

        /** {@return the limits, two or more} */
        MaxRetained[] value();
    }
}
