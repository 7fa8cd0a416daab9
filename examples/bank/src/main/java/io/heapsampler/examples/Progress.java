// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import java.io.Console;
import java.io.PrintStream;

/** One line that is written over again on a terminal, and now and then a line elsewhere. */
final class Progress {

    private static final int SECONDS_BETWEEN_LINES = 5;

    private final PrintStream out;
    private final boolean terminal = isTerminal();
    private int width;
    private long lastLine;

    Progress(PrintStream out) {
        this.out = out;
    }

    /** From JDK 22 on there may be a console without a user in front of it. */
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true; // An older JDK: there is a console only on a terminal.
        }
    }

    /** Shows how far things are. */
    void show(long second, String text) {
        if (terminal) {
            out.print("\r" + padded(text));
            out.flush();
        } else if (second >= lastLine + SECONDS_BETWEEN_LINES) {
            lastLine = second;
            out.println(text);
        }
    }

    /** Shows the last state and ends the line. */
    void finish(String text) {
        out.println(terminal ? "\r" + padded(text) : text);
    }

    private String padded(String text) {
        String line = text + " ".repeat(Math.max(0, width - text.length()));
        width = text.length();
        return line;
    }
}
