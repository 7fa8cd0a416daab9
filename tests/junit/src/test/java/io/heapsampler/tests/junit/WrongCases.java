// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.AllowedLeak;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Annotations that are refused before anything runs, for {@link WrongUseTest}. */
final class WrongCases {

    static boolean hasRun;

    private WrongCases() {}

    abstract static class Base {
        @BeforeEach
        void before() {
            hasRun = true;
        }
    }

    static class Unit extends Base {
        @Test
        @MaxAllocation("1 MBB")
        void test() {}
    }

    static class Negative extends Base {
        @Test
        @MaxRetained("-1 KB")
        void test() {}
    }

    static class Unresolvable extends Base {
        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class, interval = "512 KB")
        void test() {}
    }

    static class Conflict extends Base {
        @Test
        @NoAllocation
        @MaxAllocation("1 MB")
        void test() {}
    }

    static class TwoOfTheSame extends Base {
        @Test
        @MaxAllocation("2 MB")
        @MaxAllocation("1 MB")
        void test() {}
    }

    @MaxAllocation("1 MB")
    static class OnBeforeEach extends Base {

        @BeforeEach
        @NoAllocation
        void measured() {}

        @Test
        void test() {}
    }

    static class OnAPrivateMethod extends Base {

        @Test
        @MaxAllocation("1 MB")
        private void forgotten() {}

        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }

    static class OnAStaticMethod extends Base {

        @Test
        @MaxAllocation("1 MB")
        static void forgotten() {}

        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }

    static class OnAMethodThatReturns extends Base {

        @Test
        @MaxAllocation("1 MB")
        int forgotten() {
            return 1;
        }

        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @NoLeaks(perSite = "2 KB")
    @interface Small {}

    static class ConflictOfComposed extends Base {
        @Test
        @NoLeaks
        @Small
        void test() {}
    }

    static class TwiceTheSameExclusion extends Base {
        @Test
        @MaxRetained(value = "2 MB", exclude = "com.acme")
        @MaxRetained(value = "1 MB", exclude = "com.acme")
        void test() {}
    }

    static class NegativeRuns extends Base {
        @Test
        @NoAllocation(warmup = -7)
        void test() {}
    }

    static class NoRuns extends Base {
        @Test
        @MaxRetained(value = "1 MB", minOf = 0)
        void test() {}
    }

    static class NoBaseline extends Base {
        @Test
        @AllocationBaseline(file = "target/there-is-none.txt")
        void test() {}
    }

    static class NoTolerance extends Base {
        @Test
        @AllocationBaseline(tolerance = "much %")
        void test() {}
    }

    static class NoNameOfAFile extends Base {
        @Test
        @AllocationBaseline(file = "Größe\0.txt")
        void test() {}
    }

    static class NegativeTolerance extends Base {
        @Test
        @AllocationBaseline(tolerance = "-5 %")
        void test() {}
    }

    static class RetainedInherited extends Base {
        @Test
        @MaxRetained(value = "1 MB", threads = ThreadScope.INHERITED)
        void test() {}
    }

    static class ConcurrentRuns extends Base {
        @AllocationTest
        @Execution(ExecutionMode.CONCURRENT)
        @NoAllocation
        void test() {}
    }

    static class FewIterations extends Base {
        @Test
        @NoLeaks(iterations = 2)
        void test() {}
    }

    static class NoReason extends Base {
        @Test
        @NoLeaks
        @AllowedLeak(reason = " ", frames = "com.acme")
        void test() {}
    }

    static class NoPattern extends Base {
        @Test
        @NoLeaks
        @AllowedLeak(reason = "why not", frames = "com acme")
        void test() {}
    }

    static class ExcludeWithInherited extends Base {
        @Test
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED, exclude = "com.acme")
        void test() {}
    }

    static class Fine extends Base {
        @Test
        @MaxAllocation("1 MB")
        void test() {}
    }
}
