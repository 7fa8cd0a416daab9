// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.tool.Grammar;

import java.util.Random;

/**
 * Healthy: ANTLR learns the states of its automaton from the expressions that it parses; it knows
 * nearly all of them after some seconds.
 */
public final class AntlrWarmUp {

    private static final int EXPRESSIONS_A_SECOND = 80;

    private static final String RULES =
            "grammar Formula;\n"
                    + "all : sum EOF ;\n"
                    + "sum : sum ('*' | '/') sum | sum ('+' | '-') sum | call | ID | NUMBER"
                    + " | '(' sum ')' ;\n"
                    + "call : ID '(' (sum (',' sum)*)? ')' ;\n"
                    + "ID : [a-z]+ ;\nNUMBER : [0-9]+ ('.' [0-9]+)? ;\nWS : [ \\n]+ -> skip ;\n";

    private static long length;

    private final Random random = new Random(1);

    private String formula(int depth) {
        if (depth == 0) {
            return random.nextBoolean() ? "price" : Integer.toString(random.nextInt(1_000));
        }
        String left = formula(depth - 1);
        String right = formula(depth - 1);
        return switch (random.nextInt(4)) {
            case 0 -> left + " + " + right;
            case 1 -> left + " * " + right;
            case 2 -> "max(" + left + ", " + right + ")";
            default -> "(" + left + " - " + right + ")";
        };
    }

    private int parse(Grammar grammar) throws RecognitionException {
        CommonTokenStream tokens =
                new CommonTokenStream(
                        grammar.createLexerInterpreter(CharStreams.fromString(formula(5))));
        ParserInterpreter parser = grammar.createParserInterpreter(tokens);
        ParseTree tree = parser.parse(grammar.getRule("all").index);
        return tree.toStringTree(parser).length();
    }

    public static void main(String... args) throws Exception {
        Grammar grammar = new Grammar(RULES);
        AntlrWarmUp calculator = new AntlrWarmUp();
        Load.at(EXPRESSIONS_A_SECOND, args, number -> length += calculator.parse(grammar));
        System.out.println("length " + length);
    }
}
