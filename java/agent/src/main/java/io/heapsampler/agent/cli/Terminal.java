// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The terminal of this program.
 *
 * @param isInteractive whether there is one
 * @param rows that fit
 * @param columns that fit
 */
record Terminal(boolean isInteractive, int rows, int columns) {

    private static final Terminal NONE = new Terminal(false, Integer.MAX_VALUE, 160);
    private static final int USUAL_ROWS = 24;
    private static final int USUAL_COLUMNS = 80;

    /** Returns its current state. */
    @SuppressWarnings("SystemConsoleNull") // Null up to 21; isTerminal() handles later ones.
    static Terminal now() {
        Console console = System.console();
        if (console == null || !isTerminal(console)) {
            return NONE;
        }
        int[] size = size();
        return new Terminal(true, size[0], size[1]);
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

    private static int[] size() {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(Redirect.from(new File("/dev/tty")))
                            .redirectError(Redirect.DISCARD)
                            .start();
            String text =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            stty.waitFor(1, TimeUnit.SECONDS);
            String[] words = text.strip().split(" ", -1);
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[1]);
            if (rows > 0 && columns > 0) {
                return new int[] {rows, columns};
            }
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // Use the usual size.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new int[] {USUAL_ROWS, USUAL_COLUMNS};
    }
}
