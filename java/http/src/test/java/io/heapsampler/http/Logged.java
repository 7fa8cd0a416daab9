// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged until this is closed. */
final class Logged extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.heapsampler.http");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    Logged() {
        logger.addHandler(this);
        logger.setLevel(Level.ALL);
    }

    /** Messages, each with what was thrown. */
    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage() + " " + line.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
    }
}
