// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import java.lang.instrument.ClassDefinition;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Versions of a class that differ in nothing but their lines, which verification does not compare:
 * the lines in the snapshot must be those of the version that ran.
 */
final class RedefinedLines implements Scenario {

    private static final int LINKS = 6;
    private static final int FLIPS = 15;
    private static final int CALLS = 120;
    private static final int VERSIONS = 9;
    private static final long SEED = 3;

    private final SplittableRandom random = new SplittableRandom(55);
    private final LongFunction<Object> chain = ClassMaker.loadChain(LINKS, SEED);
    private int version;

    RedefinedLines() throws ReflectiveOperationException {}

    private static int firstLine(int version) {
        return 1 + version * ClassMaker.LINES;
    }

    @Override
    public void round() throws Exception {
        for (int i = 0; i < FLIPS; i++) {
            flip();
            run();
            System.gc(); // a version to come lies where this one lay
        }
    }

    private void flip() throws Exception {
        version = (version + 1) % VERSIONS;
        byte[] bytes = ClassMaker.chainWithLines(LINKS, SEED, firstLine(version));
        Agent.instrumentation().redefineClasses(new ClassDefinition(chain.getClass(), bytes));
    }

    private void run() throws Exception {
        RecordingOptions mine =
                RecordingOptions.builder()
                        .interval(0)
                        .thread(Thread.currentThread())
                        .className(Object[].class.getCanonicalName())
                        .build();
        try (HeapRecording recording = HeapSampler.record(mine)) {
            for (int i = 0; i < CALLS; i++) {
                chain.apply(random.nextLong());
            }
            check(recording.snapshot());
        }
    }

    private void check(HeapSnapshot snapshot) {
        int frames = 0;
        for (HeapSite site : snapshot.sites()) {
            for (HeapFrame frame : site.stack()) {
                if (frame.className().equals(ClassMaker.NAME)
                        && frame.methodName().startsWith("link")) {
                    checkLine(frame);
                    frames++;
                }
            }
        }
        if (frames == 0) {
            throw new IllegalStateException("no frame of the class in " + snapshot);
        }
    }

    private void checkLine(HeapFrame frame) {
        int line = frame.lineNumber().orElse(-1) - firstLine(version);
        if (line < 0 || line >= ClassMaker.LINES) {
            throw new IllegalStateException(
                    frame + " is not of version " + version + ", lines from " + firstLine(version));
        }
    }
}
