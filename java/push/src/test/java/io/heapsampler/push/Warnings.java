// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged meanwhile, and not printed. */
final class Warnings extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.heapsampler.push");
    private final List<String> texts = new CopyOnWriteArrayList<>();

    Warnings() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    List<String> texts() {
        return texts;
    }

    @Override
    public void publish(LogRecord entry) {
        texts.add(entry.getLevel() + " " + entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
