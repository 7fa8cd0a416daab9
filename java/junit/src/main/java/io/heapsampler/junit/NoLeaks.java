// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
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
 * A test that does not keep more and more alive. It is run again and again while every allocation
 * is recorded; a site with a net growth of live objects or bytes that goes on from run to run is a
 * leak. A site is a class and the methods that led to its allocation. If each run goes another way
 * to the objects that it keeps, the sites of their class are a leak together, provided that every
 * run keeps more of them.
 *
 * <pre>{@code
 * @Test
 * @NoLeaks
 * void forgetsItsListeners() {
 *     new View(model).close();
 * }
 * }</pre>
 *
 * <p><b>How often the test is run.</b> {@link #warmup} and {@link #iterations}: 23 times by
 * default. If no site has grown over the iterations, that is all. Otherwise each of 11 further runs
 * is followed by a collection, and a site that grew in some of them, such as an array that doubles
 * when it is full, is followed over some 100 more runs. These take two seconds of processor time at
 * most, or eight where they wait, or as long as all runs before. If the site has neither grown
 * steadily then nor stopped, the test was not measured, and the message names the site.
 *
 * <p><b>What is no leak.</b> A full cache, however large: the JVM's own count of a class shows that
 * newer objects took the place of older ones. Something that is filled and then stays the same.
 * What waits for a finalizer, a cleaner or the purge of a weak map. Code that the JDK makes once
 * for a method handle that is called often. A site that grows by softly reachable objects, which go
 * before memory runs out. What {@link AllowedLeak} names. The verdict says how many such sites
 * there were, and the end of a build shows those that grow and are let pass. To tell what is softly
 * reachable, the JVM is made to clear the soft references of the whole process, which empties
 * caches, and the code is run some more times. With generational ZGC a test is not measured if one
 * run allocates much and keeps some of it softly, as H2 and Groovy do; the message says so.
 *
 * <p><b>What looks like a leak.</b> A cache that is still filling up in each of the 34 runs, or in
 * which larger objects take the place of smaller ones in each of some 130: fill it before, or raise
 * {@link #warmup}. A field of the test's instance that each run adds to, beside {@code @Test}: all
 * runs have the same instance there. A thread that ends some time after its run, and what it holds:
 * wait for it in the run. Chance, at one in 720 sites whose live counts come and go at random.
 *
 * <p><b>What stays unmeasured.</b> Growth that there is no time to confirm. Growth of a class of
 * which other code frees objects meanwhile: let nothing else run beside the test. Growth of large
 * arrays by steps, where not every object could be followed, as under generational ZGC.
 *
 * <p><b>What cannot be found.</b> Growth that shows in none of the runs: an array, or the chunk of
 * a pool, that is large enough for many runs to come; do more in one run, such as a hundred calls.
 * Memory outside of the Java heap. What other threads allocate, unless {@link ThreadScope#ALL}
 * counts it, and what set-up allocates: the body counts. In threads that are older than the test,
 * with {@link ThreadScope#ALL}: an object that fewer than one in eight runs keep, since the JVM's
 * counts of each class contain its own work, and a growing array of which the class grows otherwise
 * as well.
 *
 * <p><b>What holds it.</b> The message of a failure ends with the references that hold the objects
 * of the sites that it shows, and underlines the field to look at first. They are searched when the
 * verdict is known, for two seconds at most; if nothing is found, one line says why. {@code
 * heapsampler.junit.holders} turns that off.
 *
 * <p>With {@link AllocationTest} in place of {@code @Test}, each run has a fresh instance and its
 * set-up. Beside {@code @Test}, all runs but the first call the method again on the same instance;
 * that is refused for tests with set-up, as {@link MaxAllocation} says. Under Epsilon, which
 * collects nothing, the test is aborted.
 *
 * @since 0.1
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(HeapAssertionsExtension.class)
@ResourceLock(providers = ProcessWideLocks.class)
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public @interface NoLeaks {

    /**
     * {@return how often the test is run between the two looks that show whether anything has
     * grown, from 5 to 1000; -1 for {@code heapsampler.junit.iterations} in {@code
     * junit-platform.properties}, else 20}
     */
    int iterations() default -1;

    /**
     * {@return how many bytes more each run may leave alive at one site, so that a test with
     * several sites may leave that much at each of them; empty for {@code
     * heapsampler.junit.perSite}, else {@code "0 B"}: nothing}
     */
    String perSite() default "";

    /**
     * {@return how often the test is run before the first look, 1 or more, where the first of these
     * runs is not recorded; -1, the default, for {@link AllocationTest#warmup} where the test has
     * that annotation, else for 3}
     */
    int warmup() default -1;

    /** {@return whose allocations count, as for {@link MaxRetained#threads}} */
    ThreadScope threads() default ThreadScope.DEFAULT;

    /** {@return the classes of which objects count, as for {@link MaxAllocation#types}} */
    Class<?>[] types() default {};

    /** {@return the packages of which objects count, as for {@link MaxAllocation#packages}} */
    String[] packages() default {};

    /** {@return patterns of what does not count, as for {@link MaxAllocation#exclude}} */
    String[] exclude() default {};

    /**
     * {@return whether the test must also leave no class loader behind} After each run, every class
     * loader of the JVM that was not there before counts, whichever thread made it; a message names
     * those that stay, some of the classes that they defined, where they were allocated, and the
     * references that hold them.
     *
     * <p><b>What is a leak.</b> Class loaders of which there are more and more with the runs, as
     * for objects. And a loader of each run that stays until the next run puts another in its
     * place: in a static field, a thread-local, or as the context class loader of a thread.
     *
     * <p><b>What is no leak.</b> Loaders that are made once, or in the first runs, such as those of
     * frameworks. Those that a cache of several replaces, that only soft references hold, that wait
     * for a weak map to be purged or for a finalizer, or that a method that is still running or the
     * test's instance holds after the last run. Those that reflection makes on JDK 17. What {@link
     * AllowedLeak} names by the class of the loader, and what {@link #exclude} names in the same
     * way.
     *
     * <p><b>What cannot be found.</b> A loader that is left by one run and not by the others, or
     * that takes the place of another in a cache of two and more, or in a weak map under a key that
     * stays alive.
     *
     * <p>{@link #threads}, {@link #types}, {@link #packages} and {@link #perSite} do not narrow it.
     * Such a test takes the global lock, as with {@link ThreadScope#ALL}: nothing runs beside it.
     * It is not measured where the library cannot be loaded, and where the JVM unloads no classes.
     */
    boolean classLoaders() default false;
}
