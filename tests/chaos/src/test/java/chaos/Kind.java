// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.Labels;
import java.util.List;
import java.util.regex.Pattern;

/** The scenarios, with what each of them needs. */
enum Kind {
    /** The table of threads is full at 8,192, and makes room: twice before a merge. */
    THREADS(ThreadChurn::new, 17_000, 100_000),
    VIRTUAL_THREADS(VirtualChurn::new, 200_000, 1_000_000),
    LOADERS(LoaderChurn::new, 1_000, 5_000),
    HIDDEN_CLASSES(HiddenChurn::new, 4_000, 20_000),
    REDEFINITION(Redefinition::new, 200, 1_000),
    CONTROL(Control::new, 4, 12),
    COLLECTIONS(Collections::new, 10, 100),
    STACK_OVERFLOW(Overflow::new, 150, 2_000),
    HEAP_EXHAUSTION(HeapExhaustion::new, 10, 60, HeapExhaustion.FLAGS),
    FLIGHT_RECORDER(FlightRecorder::new, 4, 12),
    DEBUGGER(Debugged::new, 400, 400, "-agentlib:jdwp=" + Debugger.OPTIONS),
    SECOND_AGENT(SecondAgent::new, 10, 60),
    INSTRUMENTED(Instrumented::new, 1, 3),
    START_STOP(StartStop::new, 60, 500, "-XX:-UseDynamicNumberOfCompilerThreads");

    /** Makes the scenario. */
    interface Factory {
        Scenario create() throws Exception;
    }

    private static final Pattern NOTHING = Pattern.compile("(?!)");

    /** In its threads of its own, which have no Java frames. */
    private static final Pattern REFERENCES_OF_JDWP =
            Pattern.compile("WARNING: JNI local refs[^\\n]*\n(?!\\s+at)");

    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private final Factory factory;
    private final long few;
    private final long many;
    private final List<String> flags;

    /**
     * A scenario.
     *
     * @param few the amount before a merge
     * @param many the full amount
     * @param flags of the JVM
     */
    Kind(Factory factory, long few, long many, String... flags) {
        this.factory = factory;
        this.few = few;
        this.many = many;
        this.flags = List.of(flags);
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

    long few() {
        return few;
    }

    long many() {
        return many;
    }

    List<String> flags() {
        return flags;
    }

    /** Returns whether a JDK can have it at all, by its version. */
    boolean existsOn(Jdk jdk) {
        return this != VIRTUAL_THREADS || jdk.feature() >= FIRST_WITH_VIRTUAL_THREADS;
    }

    /** Returns what it makes the JVM say without any fault of the sampler. */
    Pattern noise() {
        return this == DEBUGGER ? REFERENCES_OF_JDWP : NOTHING;
    }

    /** Returns the module that it needs of a runtime; empty if none in particular. */
    String module() {
        return switch (this) {
            case DEBUGGER -> "jdk.jdwp.agent";
            case FLIGHT_RECORDER -> "jdk.jfr";
            case REDEFINITION, INSTRUMENTED -> "java.instrument";
            default -> "";
        };
    }

    /**
     * Returns the time after which an amount of it hangs: far beyond need, also where ten processes
     * share a processor.
     */
    int seconds(long amount) {
        int seconds =
                switch (this) {
                    case THREADS, HEAP_EXHAUSTION -> 400;
                    default -> 200;
                };
        return amount == many ? 3 * seconds : seconds;
    }
}
