// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.assertions.internal.Trials;
import io.heapsampler.internal.shared.OpenChains;
import io.heapsampler.internal.shared.OpenChains.Chain;
import java.util.Objects;

/**
 * Assertions about objects that code allocates and leaves behind, for any test framework or none.
 *
 * <pre>{@code
 * import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
 *
 * assertAllocations(() -> parser.parse(input)).allocatesAtMost("64 KB");
 * assertAllocations(() -> buffer.clear()).allocatesNothing();
 * assertAllocations(() -> cache.refresh()).leavesBehindAtMost("1 KB");
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class AllocationAssertions {

    private static final String VERDICTS =
            "allocatesNothing, allocatesAtMost, leavesBehindAtMost, leaksAtMost or doesNotLeak";

    private AllocationAssertions() {}

    /**
     * Returns an assertion about some code, which is run by its last method, in the calling thread.
     *
     * @param code the measured code
     * @return the assertion, about all allocations of the calling thread
     */
    @CheckReturnValue
    public static AllocationAssert assertAllocations(ThrowingRunnable code) {
        return new AllocationAssert(Objects.requireNonNull(code, "code"), begin());
    }

    private static Chain begin() {
        try {
            return Trials.aside(() -> OpenChains.begin(VERDICTS));
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Throws anything as it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> RuntimeException unchecked(Throwable e) throws T {
        throw (T) e;
    }
}
