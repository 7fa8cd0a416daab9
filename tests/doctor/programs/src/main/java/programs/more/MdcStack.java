// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;

import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import java.io.OutputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Faulty: each task of a pool pushes its path on the stack of the logging context of its thread,
 * and none pops it.
 */
public final class MdcStack {

    private static final int TASKS = 48_000;

    private static Logger quietLogger() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d %thread %X{tenant} %msg%n");
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.setOutputStream(OutputStream.nullOutputStream());
        appender.start();
        Logger logger = context.getLogger("ROOT");
        logger.detachAndStopAllAppenders();
        logger.addAppender(appender);
        logger.setLevel(Level.INFO);
        return logger;
    }

    private static void handle(Logger log, int number) {
        MDC.put("tenant", "tenant " + number % 50);
        MDC.pushByKey("path", "/orders/" + number + "?fields=" + "customer,".repeat(240));
        for (int i = 0; i < 10; i++) {
            log.info("order {}: step {} of 10", number, i);
        }
    }

    public static void main(String... args) {
        Logger log = quietLogger();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        Load.spread(TASKS, args, number -> pool.execute(() -> handle(log, number)));
        // The threads of a service stay, with what they hold.
        System.exit(0);
    }
}
