// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.ArrayList;
import java.util.List;
import org.codehaus.janino.ExpressionEvaluator;

/**
 * Compiles a formula for each request; each has a class and a class loader of its own. Arguments:
 * seconds, formulas per second, {@code keep} or {@code drop}.
 */
final class JaninoExpr {

    private static final List<ExpressionEvaluator> FORMULAS = new ArrayList<>();

    private JaninoExpr() {}

    public static void main(String... args) {
        boolean keeps = args[2].equals("keep");
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            ExpressionEvaluator formula = compile("a * " + number + " + b");
                            Garbage.sink = formula.evaluate(new Object[] {number, 1});
                            if (keeps) {
                                FORMULAS.add(formula);
                            }
                        });
        System.out.println("formulas: " + FORMULAS.size());
    }

    private static ExpressionEvaluator compile(String text) throws Exception {
        ExpressionEvaluator formula = new ExpressionEvaluator();
        formula.setParameters(new String[] {"a", "b"}, new Class<?>[] {int.class, int.class});
        formula.setExpressionType(int.class);
        formula.cook(text);
        return formula;
    }
}
