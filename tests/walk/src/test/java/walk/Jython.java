// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.Properties;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** Jython: boxed numbers, dictionaries and text, and code that is compiled at run time. */
final class Jython implements Scenario {

    private static final String PROGRAM =
            """
            def step(table, i):
                table[str(i % 50)] = table.get(str(i % 50), 0.0) + i * 0.5
                return [x + i for x in range(i % 5)]

            def work(n):
                table = {}
                total = 0
                for i in range(n):
                    total += len(step(table, i))
                return total

            def compiled(n):
                space = {}
                exec('def f(x):\\n    return [x + %d, str(x)]' % n, space)
                return [space['f'](i) for i in range(20)]
            """;

    private final PythonInterpreter interpreter;
    private int turn;

    Jython() {
        Properties properties = new Properties();
        properties.setProperty("python.cachedir.skip", "true");
        properties.setProperty("python.import.site", "false");
        PythonInterpreter.initialize(System.getProperties(), properties, new String[0]);
        interpreter = new PythonInterpreter();
        interpreter.exec(PROGRAM);
    }

    @Override
    public void round() {
        PyObject total = interpreter.eval("work(400)");
        if (total.asInt() != 800) {
            throw new IllegalStateException("wrong: " + total);
        }
        interpreter.eval("compiled(" + turn++ + ")");
    }
}
