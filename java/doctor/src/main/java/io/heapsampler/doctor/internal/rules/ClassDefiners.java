// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.CallerEvidence;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import java.util.List;

/** The code that defined classes when metaspace had to be collected or enlarged. */
final class ClassDefiners {

    private static final String CALL = "java.lang.ClassLoader.defineClass";

    private ClassDefiners() {}

    /** The recent ones; empty where Flight Recorder was not open. */
    static List<CallerEvidence> of(Situation s) {
        Callers callers = new Callers("ClassLoader.defineClass()");
        for (JvmEvent event : s.events("MetaspaceAllocationFailure")) {
            List<String> stack = event.stack();
            int own = 0;
            while (own < stack.size() && stack.get(own).startsWith(CALL)) {
                own++;
            }
            if (own > 0) {
                callers.add(stack.subList(own, stack.size()));
            }
        }
        return callers.most();
    }
}
