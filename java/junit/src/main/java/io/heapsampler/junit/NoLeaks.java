// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that leaves nothing behind each time it is run. It is run again and again, with a forced
 * collection after each time; a site of which objects of every run are still alive in the end is a
 * leak.
 *
 * <pre>{@code
 * @Test
 * @NoLeaks
 * void forgetsItsListeners() {
 *     new View(model).close();
 * }
 * }</pre>
 *
 * <p>A cache that fills up and then stays the same, an object that replaces another, and what is
 * left by some runs only are no leaks, and the message says how many of them there are. A site
 * whose runs leave something with a chance of one half or less, independently of each other, is
 * called a leak with a chance of 2^-(iterations - 1) at most: 0.2 % for 10. A cache that is not
 * full after all iterations looks like a leak: raise {@link #warmup} or {@link #iterations}.
 *
 * <p>The first run is that of JUnit; all others call the method again on the same instance, without
 * {@code @BeforeEach}. Under Epsilon, which collects nothing, the test is aborted.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
public @interface NoLeaks {

    /**
     * How often the test is run under observation.
     *
     * @return from 5 to 1000; -1 for {@code heapsampler.iterations} in {@code
     *     junit-platform.properties}, else 10
     */
    int iterations() default -1;

    /**
     * How much a site may leave behind per run.
     *
     * @return an amount; empty for {@code heapsampler.perSite}, else {@code "1 KB"}
     */
    String perSite() default "";

    /**
     * How often the test is run before, 1 at least.
     *
     * @return 1 or more; -1, the default, for 2
     */
    int warmup() default -1;

    /**
     * Whose allocations count.
     *
     * @return {@link ThreadScope#TEST} by default; {@link ThreadScope#ALL} takes the global lock:
     *     nothing runs beside such a test; {@link ThreadScope#INHERITED} is for what is allocated
     *     only
     */
    ThreadScope threads() default ThreadScope.DEFAULT;

    /**
     * Classes of which objects count; their arrays and subclasses do not.
     *
     * @return none for all
     */
    Class<?>[] types() default {};

    /**
     * Packages of classes of which objects count, with the packages below.
     *
     * @return none for all
     */
    String[] packages() default {};

    /**
     * What does not count: objects of a class, and what a class or method or its callees allocate.
     *
     * @return patterns such as {@code com.acme.Log} or {@code com.acme.Cart.add}; a star stands for
     *     any characters
     */
    String[] exclude() default {};

    /**
     * The interval between two samples where there are any.
     *
     * @return an amount; {@code "0 B"} for every allocation; empty to choose it from the limit
     */
    String interval() default "";
}
