// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.junit.NoAllocation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;

/** The JVM links a call of a handle when it is first run; what it allocates then is set aside. */
class MethodHandleTest {

    static final class Handles {

        static final MethodHandle LENGTH;
        static final VarHandle COUNT;
        static int count;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                LENGTH =
                        lookup.findVirtual(
                                String.class, "length", MethodType.methodType(int.class));
                COUNT = lookup.findStaticVarHandle(Handles.class, "count", int.class);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        private Handles() {}
    }

    static class FirstCalls {

        @Test
        @NoAllocation
        void method() throws Throwable {
            Handles.count = (int) Handles.LENGTH.invokeExact("abc");
        }

        @Test
        @NoAllocation
        void variable() {
            Handles.COUNT.setVolatile(3);
            int sum = (int) Handles.COUNT.getAndAdd(1);
            Handles.count = sum + (int) Handles.COUNT.getAcquire();
        }
    }

    @Test
    void firstCallsAllocateNothing() throws Throwable {
        MethodHandles.lookup().ensureInitialized(Handles.class);
        Kit.assertPasses(FirstCalls.class, 2);
    }
}
