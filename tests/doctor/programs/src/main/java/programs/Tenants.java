// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.HashMap;
import java.util.Map;
import javax.script.Invocable;
import javax.script.ScriptEngine;
import javax.script.ScriptException;
import org.openjdk.nashorn.api.scripting.NashornScriptEngineFactory;

/**
 * A Nashorn engine for each tenant. Arguments: seconds, tenants per second, {@code keep} or {@code
 * drop}.
 */
final class Tenants {

    private static final Map<Integer, ScriptEngine> ENGINES = new HashMap<>();
    private static final NashornScriptEngineFactory FACTORY = new NashornScriptEngineFactory();

    private Tenants() {}

    public static void main(String... args) {
        boolean keeps = args[2].equals("keep");
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            ScriptEngine engine = start(number);
                            Garbage.sink = ((Invocable) engine).invokeFunction("price", number);
                            if (keeps) {
                                ENGINES.put(number, engine);
                            }
                        });
        System.out.println("engines: " + ENGINES.size());
    }

    private static ScriptEngine start(int tenant) throws ScriptException {
        ScriptEngine engine = FACTORY.getScriptEngine();
        StringBuilder script = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            script.append("function rule").append(i).append("(x) { return x * ").append(tenant + i);
            script.append(" + [1, 2].map(function(y) { return y * x; })[0]; }\n");
        }
        script.append("function price(x) { return rule0(x) + rule1(x) + rule9(x); }\n");
        engine.eval(script.toString());
        return engine;
    }
}
