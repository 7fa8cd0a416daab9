// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeldBy;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A JVM with enough objects for a child to walk for a while, which then meets with an accident. */
public final class KillsMain {

    private static final int OBJECTS = 300_000;
    private static final int INTERVAL = 1 << 17;
    private static final int EXIT_CODE = 7;
    private static final int PATIENCE_SECONDS = 60;
    private static final Duration TIME = Duration.ofSeconds(100);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static final List<Object[]> HELD = new ArrayList<>();

    private KillsMain() {}

    /**
     * Walks.
     *
     * @param arguments what happens meanwhile: {@code survive} the child is killed, then one is
     *     stopped; {@code exit}, {@code halt} the JVM ends; {@code wait} it waits to be killed
     */
    public static void main(String[] arguments) throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).maxOverhead(1).build());
        for (int i = 0; i < OBJECTS; i++) {
            HELD.add(new Object[] {new Object[] {i}});
        }
        HeapSampler.stop();
        switch (arguments[0]) {
            case "survive" -> survive();
            case "exit" -> {
                startWalk(TIME);
                child();
                System.exit(EXIT_CODE);
            }
            case "halt" -> {
                startWalk(TIME);
                child();
                Runtime.getRuntime().halt(EXIT_CODE);
            }
            default -> {
                startWalk(TIME);
                child();
                Thread.sleep(TIME.toMillis()); // killed by its parent
            }
        }
    }

    private static CompletableFuture<HeldBy> startWalk(Duration time) {
        return CompletableFuture.supplyAsync(() -> Question.about(Way.CHILD).askAll(time));
    }

    /** Waits for a child in the middle of its walk. */
    private static ProcessHandle child() throws Exception {
        if (!Until.within(PATIENCE_SECONDS, () -> children().isPresent())) {
            throw new IllegalStateException("no child");
        }
        ProcessHandle child = children().orElseThrow();
        System.out.println("child " + child.pid());
        return child;
    }

    private static Optional<ProcessHandle> children() {
        return ProcessHandle.current().children().findFirst();
    }

    private static void survive() throws Exception {
        Leftovers before = Leftovers.now();
        CompletableFuture<HeldBy> walk = startWalk(TIME);
        child().destroyForcibly();
        expect(walk.get(PATIENCE_SECONDS, TimeUnit.SECONDS), false);

        walk = startWalk(SHORT);
        ProcessHandle child = child();
        new ProcessBuilder("kill", "-STOP", String.valueOf(child.pid())).start().waitFor();
        expect(walk.get(PATIENCE_SECONDS, TimeUnit.SECONDS), false);

        expect(startWalk(TIME).get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS), true);
        List<String> left = before.since();
        System.out.println("left " + left);
        System.exit(left.isEmpty() ? 0 : 1);
    }

    private static void expect(HeldBy held, boolean isResolved) {
        System.out.println("walk " + Question.figures(held) + " unresolved=" + held.unresolved());
        boolean hasHolders = !held.holders().isEmpty();
        if (hasHolders != isResolved) {
            throw new IllegalStateException("holders: " + held.holders());
        }
    }
}
