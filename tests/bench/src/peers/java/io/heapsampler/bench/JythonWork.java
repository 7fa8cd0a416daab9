// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** A loop over numbers, strings and a dictionary in Python. */
final class JythonWork implements Workload {

    private static final int STEPS = 20_000;
    private static final String PROGRAM =
            """
            def work(n):
                counts = {}
                total = 0.0
                seed = 1
                for i in range(n):
                    seed = (seed * 1103515245 + 12345) % 2147483648
                    word = 'w' + str(seed % 1000)
                    counts[word] = counts.get(word, 0) + 1
                    total += seed * 0.5
                return sum(counts.values())
            """;

    private final PythonInterpreter interpreter = new PythonInterpreter();

    JythonWork() {
        interpreter.exec(PROGRAM);
    }

    @Override
    public void work() {
        PyObject sum = interpreter.eval("work(" + STEPS + ")");
        Workload.check(sum.asInt() == STEPS, "sum " + sum);
    }

    @Override
    public void end() {
        interpreter.close();
    }
}
