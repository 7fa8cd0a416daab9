// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Turns;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * Flips a class between versions with other call sites and lines, while others run it and in the
 * middle of an own call of it.
 */
final class Redefinition implements Scenario, ClassFileTransformer {

    private static final int LINKS = 8;
    private static final int VERSIONS = 7;
    private static final int FLIPS = 6;
    private static final int CALLS_BETWEEN = 150;
    private static final int DEADLINE_SECONDS = 170;

    private final Instrumentation instrumentation = Agent.instrumentation();
    private final ExecutorService runner = Turns.daemons(1);
    private final SplittableRandom random = new SplittableRandom(5);
    private final List<byte[]> versions = new ArrayList<>();
    private final LongFunction<Object> chain = ClassMaker.loadChain(LINKS, 0);
    private final boolean transforming;
    private volatile int version;

    /**
     * Prepares the work.
     *
     * @param transforming by retransformation, not by redefinition
     */
    Redefinition(boolean transforming) throws ReflectiveOperationException {
        this.transforming = transforming;
        for (int i = 0; i < VERSIONS; i++) {
            versions.add(ClassMaker.chain(LINKS, i, i % 3 * 16));
        }
        if (transforming) {
            instrumentation.addTransformer(this, true);
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] old) {
        return type == chain.getClass() ? versions.get(version) : null;
    }

    private void flip() {
        version = (version + 1 + random.nextInt(VERSIONS - 1)) % VERSIONS;
        try {
            if (transforming) {
                instrumentation.retransformClasses(chain.getClass());
            } else {
                instrumentation.redefineClasses(
                        new ClassDefinition(chain.getClass(), versions.get(version)));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void round() throws Exception {
        whileAnotherRuns();
        inTheMiddle();
        System.gc(); // old versions go, the next one lies where they lay
    }

    private void whileAnotherRuns() throws Exception {
        AtomicLong calls = new AtomicLong();
        AtomicBoolean enough = new AtomicBoolean();
        long seed = random.nextLong();
        Future<?> running = runner.submit(() -> run(new SplittableRandom(seed), calls, enough));
        for (int i = 0; i < FLIPS; i++) {
            long goal = calls.get() + CALLS_BETWEEN;
            while (calls.get() < goal && !running.isDone()) {
                Thread.yield();
            }
            flip();
        }
        enough.set(true);
        running.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private void run(SplittableRandom ways, AtomicLong calls, AtomicBoolean enough) {
        while (!enough.get()) {
            chain.apply(ways.nextLong());
            calls.incrementAndGet();
        }
    }

    private void inTheMiddle() {
        Sink.atEnd(this::flip);
        for (int i = 0; i < FLIPS; i++) {
            chain.apply(random.nextLong());
        }
        Sink.atEnd(() -> {});
        for (int i = 0; i < CALLS_BETWEEN; i++) {
            chain.apply(random.nextLong());
        }
    }
}
