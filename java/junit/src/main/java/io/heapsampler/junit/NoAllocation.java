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
 * A test that allocates nothing, not a byte. The same as {@link MaxAllocation} of {@code "0 B"},
 * and as exact.
 *
 * <pre>{@code
 * @Test
 * @NoAllocation
 * void readsWithoutGarbage() {
 *     buffer.get(0);
 * }
 * }</pre>
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
public @interface NoAllocation {

    /** {@return whose allocations count, as for {@link MaxAllocation#threads}} */
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
}
