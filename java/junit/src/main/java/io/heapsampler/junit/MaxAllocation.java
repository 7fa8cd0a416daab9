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
 * A test that allocates no more than this.
 *
 * <pre>{@code
 * @Test
 * @MaxAllocation("64 KB")
 * void parsesWithoutCopying() {
 *     parser.parse(input);
 * }
 * }</pre>
 *
 * <p>The body of the test counts, without {@code @BeforeEach} and {@code @AfterEach}. On a class,
 * it holds for each test in it and in its nested classes; the annotation that is nearest to the
 * test wins. It may be repeated with other {@link #types}, {@link #packages}, {@link #exclude} or
 * {@link #threads}, and be part of an annotation of one's own.
 *
 * <p><b>Exact and estimated.</b> The bytes of a thread are the JVM's own count and exact. With
 * {@link #types}, {@link #packages} or {@link #exclude} they are estimated from samples, and every
 * allocation is recorded where an estimate cannot decide.
 *
 * <p><b>One run, unless you request more.</b> The run that JUnit makes is judged. With limits up to
 * 4 MiB, the JVM's own allocations of a first run are set aside: loading, initialising and linking
 * classes, lambdas and string concatenation, and bundles, locales and services that the JDK loads
 * once. The report entry has its sum. Static initialisers of your own count, and so do loads of
 * classes that your code requests from a loader. Without HeapSampler's library that share is
 * unknown: a first run beyond its limit is aborted.
 *
 * <p>Code that allocates until the JVM has compiled it needs runs before the one that counts. Write
 * {@link AllocationTest} in place of {@code @Test}: each run then has a fresh instance and its
 * set-up. Beside {@code @Test}, {@link #warmup} and {@link #minOf} call the method again on the
 * same instance, whose fields keep their values. That is refused where JUnit makes something anew
 * for each test, which a second call would find used: {@code @BeforeEach} and {@code @AfterEach},
 * extensions around each test, {@code @TempDir} fields, and parameters other than plain values.
 * Interceptors of other extensions are run around the first call only. At the end of the warm-up,
 * and after each quarter of one of 10,000 runs or more, the test waits until the JVM's compilers
 * have nothing to do, 5 s at most.
 *
 * <p>Several limits at one test observe the same runs, each as if it were alone.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
@Repeatable(MaxAllocation.Several.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface MaxAllocation {

    /** {@return the limit, such as {@code "1 MB"}} */
    String value();

    /**
     * {@return whose allocations count; {@link ThreadScope#ALL} takes the global lock: nothing runs
     * beside such a test}
     */
    ThreadScope threads() default ThreadScope.DEFAULT;

    /**
     * {@return the classes of which objects count, without their arrays and subclasses; none for
     * all}
     */
    Class<?>[] types() default {};

    /**
     * {@return the packages of the classes of which objects count, with the packages below; none
     * for all}
     */
    String[] packages() default {};

    /**
     * {@return patterns such as {@code com.acme.Log} or {@code com.acme.Cart.add}, in which a star
     * stands for any characters: neither objects of a matching class count, nor what a matching
     * class or method or its callees allocate}
     */
    String[] exclude() default {};

    /**
     * {@return how often the test is run before runs are judged; -1, the default, for {@link
     * AllocationTest#warmup} where the test has that annotation, else for 0}
     */
    int warmup() default -1;

    /**
     * {@return how many runs are judged, 1 or more, of which the smallest counts; -1, the default,
     * for {@link AllocationTest#minOf} where the test has that annotation, else for 1}
     */
    int minOf() default -1;

    /**
     * {@return the bytes between two samples where there are any; {@code "0 B"} for every
     * allocation; empty to choose them from the limit}
     */
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
        MaxAllocation[] value();
    }
}
