// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import groovy.lang.Binding;
import groovy.lang.GroovyClassLoader;
import groovy.lang.GroovyShell;
import groovy.lang.Script;

/**
 * Runs a script for each request. Arguments: seconds, requests per second, and {@code shared} (one
 * class loader keeps each script by its name), {@code fresh} (a shell for each request) or {@code
 * cached} (one script, compiled once).
 */
final class GroovyScripts {

    private static final GroovyClassLoader LOADER = new GroovyClassLoader();

    private GroovyScripts() {}

    public static void main(String... args) {
        Script cached = new GroovyShell().parse(text(0));
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Script script =
                                    switch (args[2]) {
                                        case "shared" -> shared(number);
                                        case "fresh" -> new GroovyShell().parse(text(number));
                                        default -> cached;
                                    };
                            script.setBinding(new Binding());
                            script.setProperty("amount", number);
                            Garbage.sink = script.run();
                        });
        System.out.println("classes kept: " + LOADER.getLoadedClasses().length);
    }

    private static Script shared(int number) throws Exception {
        Class<?> made = LOADER.parseClass(text(number), "Rule" + number + ".groovy");
        return (Script) made.getDeclaredConstructor().newInstance();
    }

    private static String text(int number) {
        return """
        def discount = [1, 2, 3].collect { it * %d }.sum()
        def text = "amount ${amount} less ${discount}"
        amount > 10 ? text : text.reverse()
        """
                .formatted(number);
    }
}
