// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The scenarios, with what each of them needs. */
enum Kind {
    BANK(Bank::new, app(256).hits(0.93)),
    JAVAC(Javac::new, app(512).hits(0.85)),
    JYTHON(Jython::new, app(256).hits(0.84)),
    LUCENE(Lucene::new, app(256).hits(0.85)),
    FOP(Fop::new, app(512).hits(0.85)),
    DEOPT(() -> new Deopt(Descent.class), hot().hits(0.9)),
    DEOPT_HANDLES(() -> new Deopt(Descent.ByHandle.class), hot().hits(0.9)),
    RECOMPILED(Recompiled::new, all().hits(0.9)),
    CODE_REUSE(() -> new CodeReuse(400), small().flags("-XX:ReservedCodeCacheSize=5m")),
    CODE_REUSE_SEGMENTED(
            () -> new CodeReuse(400),
            small().flags("-XX:ReservedCodeCacheSize=10m", "-XX:+SegmentedCodeCache")),
    CODE_REUSE_UNLOADED(() -> new CodeReuse(10), small().flags("-XX:ReservedCodeCacheSize=5m")),
    CHURN(Churn::new, hot().hits(0.9)),
    REDEFINED(() -> new Redefinition(false), hot().hits(0.88)),
    RETRANSFORMED(() -> new Redefinition(true), hot().hits(0.88)),
    REDEFINED_LINES(RedefinedLines::new, hot()),
    DEPTH_8(() -> new Recursion(40), all().depth(8).hits(0.9)),
    DEPTH_64(() -> new Recursion(150), all().depth(64)),
    DEPTH_128(() -> new Recursion(300), all()),
    DEPTH_1024(() -> new Recursion(1_200), all().depth(1_024)),
    UPCALLS(Upcalls::new, all().flags(Setup.NATIVE_REFLECTION).hits(0.9)),
    NATIVES(Natives::new, all().hits(0.9)),
    THROWN(Thrown::new, all().hits(0.9)),
    OVERFLOW(Overflow::new, all().hits(0.8)),
    STARTERS(Starters::new, all().hits(0.9)),
    MIXED(Mixed::new, all().flags(Mixed.EXCLUDE).hits(0.9)),
    LAMBDAS(Lambdas::new, all().hits(0.9)),
    VIRTUAL(() -> new Virtual(512), all().since(21).flags(Setup.NATIVE_REFLECTION).hits(0.8)),
    VIRTUAL_PARKING(() -> new Virtual(8), all().since(21).flags(Setup.NATIVE_REFLECTION));

    /** Makes the work; what this allocates is not sampled. */
    interface Factory {
        Scenario create() throws Exception;
    }

    /**
     * What a scenario needs.
     *
     * @param interval of the sampler
     * @param depth the sampler's limit
     * @param since first Java version
     * @param hits the least share of walks that need not ask the JVM; 0 where nothing comes again
     * @param flags of the JVM
     */
    record Setup(long interval, int depth, int since, double hits, List<String> flags) {

        /** What JDK 17 and what later ones listen to. */
        static final String[] NATIVE_REFLECTION = {
            "-Dsun.reflect.inflationThreshold=2147483647",
            "-Djdk.reflect.useNativeAccessorOnly=true"
        };

        Setup depth(int frames) {
            return new Setup(interval, frames, since, hits, flags);
        }

        Setup since(int feature) {
            return new Setup(interval, depth, feature, hits, flags);
        }

        Setup hits(double share) {
            return new Setup(interval, depth, since, share, flags);
        }

        Setup flags(String... more) {
            List<String> both = new ArrayList<>(flags);
            both.addAll(Arrays.asList(more));
            return new Setup(interval, depth, since, hits, List.copyOf(both));
        }
    }

    private final Factory factory;
    private final Setup setup;

    Kind(Factory factory, Setup setup) {
        this.factory = factory;
        this.setup = setup;
    }

    private static Setup app(long interval) {
        return new Setup(interval, 128, 17, 0, List.of());
    }

    private static Setup all() {
        return app(0);
    }

    /** Compiled soon, and before the next call: a storm can be over in little time. */
    private static Setup hot() {
        return all().flags(
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=CompileThresholdScaling,walk.*::*,0.05",
                        "-XX:CompileCommand=BackgroundCompilation,walk.*::*,false");
    }

    /** The same in many small pieces, that fit where others were. */
    private static Setup small() {
        return hot().hits(0.9).flags("-XX:MaxInlineLevel=2");
    }

    static Kind of(String label) {
        return Labels.parse(Kind.class, label);
    }

    String label() {
        return Labels.of(this);
    }

    Scenario create() throws Exception {
        return factory.create();
    }

    Setup setup() {
        return setup;
    }

    /** Returns the share of stacks that may be impossible to walk. */
    double mostUnwalkable() {
        return switch (this) {
            case VIRTUAL_PARKING -> 1; // most frames are in the heap
            case VIRTUAL -> 0.2;
            default -> 0.02;
        };
    }

    /** Returns whether it needs {@link Agent}. */
    boolean isInstrumented() {
        return this == REDEFINED || this == RETRANSFORMED || this == REDEFINED_LINES;
    }
}
