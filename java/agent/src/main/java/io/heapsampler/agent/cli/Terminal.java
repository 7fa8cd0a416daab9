// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal of this program, whether there is one, and its size. */
record Terminal(boolean isInteractive, int rows, int columns) {

    private static final Terminal NONE = new Terminal(false, Integer.MAX_VALUE, 160);
    private static final Terminal USUAL = new Terminal(true, 24, 80);
    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,5}) ([1-9]\\d{0,5})");

    /** Returns its current state. */
    @SuppressWarnings("SystemConsoleNull") // Null up to 21; isTerminal() handles later ones.
    static Terminal now() {
        Console console = System.console();
        return console == null || !isTerminal(console) ? NONE : ofStty();
    }

    /** Since 22, System.console() may return a console without a terminal. */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static Terminal ofStty() {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(Redirect.from(new File("/dev/tty")))
                            .redirectError(Redirect.DISCARD)
                            .start();
            byte[] text = stty.getInputStream().readAllBytes();
            stty.waitFor(1, TimeUnit.SECONDS);
            Matcher size = SIZE.matcher(new String(text, StandardCharsets.US_ASCII).strip());
            if (size.matches()) {
                return new Terminal(
                        true, Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
            }
        } catch (IOException e) {
            // There is no stty.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return USUAL;
    }
}
