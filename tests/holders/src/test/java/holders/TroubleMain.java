// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import holders.cases.OwnLoader;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeldBy;
import io.heapsampler.SamplerOptions;
import io.heapsampler.Unresolved;
import io.heapsampler.support.Labels;
import io.heapsampler.support.Until;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A JVM in which threads allocate, load, redefine and unload classes, start and end threads, reset
 * and restart the sampler, and kill children, while another walks. Afterwards nothing may be left.
 */
public final class TroubleMain {

    private static final int KEPT = 4_096;
    private static final int LIVING = 256;

    /** With a shorter one, dead samples leave hardly a place to live ones on generational ZGC. */
    private static final int INTERVAL = 1 << 16;

    /** Of an object that lives: one of four is sampled. */
    private static final int LIVING_PLACES = 5_000;

    private static final int RESTARTS_PER_RESET = 60;
    private static final int RESTART_MILLIS = 200;

    /** One child of as many is killed, at a time by chance within what it needs. */
    private static final int CHILDREN_PER_KILL = 8;

    private static final int KILL_MILLIS = 100;

    /**
     * After each piece of work a thread rests this many times as long: walks need the processor.
     */
    private static final int REST = 4;

    /** After as many walks it prints what they found, for one that does not end. */
    private static final int PRINTED = 50;

    private static final Duration TIME = Duration.ofSeconds(60);
    private static final AtomicReferenceArray<Object> RING = new AtomicReferenceArray<>(KEPT);

    /** Lives from one reset to the next, so longer than a walk in short passes takes. */
    private static final AtomicReference<Object[][]> STABLE = new AtomicReference<>();

    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger kills = new AtomicInteger();
    private final AtomicInteger redefinitions = new AtomicInteger();
    private final List<Member> crew = new ArrayList<>();
    private volatile Throwable failure;

    /** Work that is done again and again. */
    private interface Work {
        void once(SplittableRandom random) throws Exception;
    }

    /** A thread of the crew, and how many pieces of work it has for each walk. */
    private record Member(Thread thread, Semaphore turns, int perWalk) {
        void giveWork() {
            turns.drainPermits();
            turns.release(perWalk);
        }
    }

    /** Loaded by loaders that come and go. */
    public static final class Plugin implements Supplier<Object> {
        private static final List<Object> STATE = new ArrayList<>();

        @Override
        public Object get() {
            STATE.add(new int[10]);
            return this;
        }
    }

    /**
     * Walks.
     *
     * @param arguments the way, the number of walks
     */
    public static void main(String[] arguments) throws Exception {
        new TroubleMain()
                .run(Labels.parse(Way.class, arguments[0]), Integer.parseInt(arguments[1]));
    }

    private void run(Way way, int walks) throws Exception {
        // Once without trouble, so that what the process keeps is there.
        start();
        keep(new SplittableRandom(1));
        Question.about(way).askSome(TIME);
        HeapSampler.stop();
        HeapSampler.reset();
        Leftovers before = Leftovers.now();
        long rss = Leftovers.rss();

        start();
        keepStable();
        begin("allocator", 200, TroubleMain::keep);
        begin("loader", 40, random -> RING.set(random.nextInt(KEPT), load()));
        begin("starter", 20, TroubleMain::startThread);
        begin("restarter", 4, TroubleMain::restart);
        if (Agent.instrumentation().isPresent()) {
            begin("redefiner", 4, this::redefine);
        }
        if (way == Way.CHILD) {
            begin("killer", 1, this::kill);
        }
        Map<String, Integer> outcomes = new TreeMap<>();
        for (int i = 0; i < walks && failure == null; i++) {
            crew.forEach(Member::giveWork);
            walk(way, outcomes);
            if ((i + 1) % PRINTED == 0) {
                System.out.printf("walks=%d %s%n", i + 1, outcomes);
            }
        }
        over.countDown();
        for (Member member : crew) {
            member.giveWork();
            member.thread.join();
        }
        HeapSampler.stop();
        HeapSampler.reset();
        List<String> left = before.since();
        System.out.printf(
                "trouble walks=%d %s kills=%s redefinitions=%s rss=%d KiB, before %d left=%s%n",
                walks, outcomes, kills, redefinitions, Leftovers.rss(), rss, left);
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
        System.exit(left.isEmpty() && outcomes.getOrDefault("held", 0) > 0 ? 0 : 1);
    }

    /** A sampler that is stopped, or has nothing, is no fault. */
    private static void walk(Way way, Map<String, Integer> outcomes) {
        String outcome;
        try {
            HeldBy held = Question.about(way).askSome(TIME);
            outcome = held.holders().isEmpty() ? "none: " + held.way() + causes(held) : "held";
        } catch (IllegalStateException e) {
            outcome = String.valueOf(e.getMessage());
        }
        outcomes.merge(outcome, 1, Integer::sum);
    }

    private static Set<Unresolved> causes(HeldBy held) {
        Set<Unresolved> causes = EnumSet.allOf(Unresolved.class);
        causes.removeIf(cause -> held.unresolved().get(cause).samples() == 0);
        return causes;
    }

    private void begin(String name, int perWalk, Work work) {
        Semaphore turns = new Semaphore(0);
        SplittableRandom random = new SplittableRandom(crew.size());
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                while (over.getCount() > 0) {
                                    turns.acquire();
                                    long begin = System.nanoTime();
                                    work.once(random);
                                    long nanos = System.nanoTime() - begin;
                                    over.await(REST * nanos, TimeUnit.NANOSECONDS);
                                }
                            } catch (Throwable e) {
                                failure = e;
                            }
                        },
                        name);
        crew.add(new Member(thread, turns, perWalk));
        thread.start();
    }

    private static void start() {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(INTERVAL)
                        .maxOverhead(1)
                        .maxTracked(8_192)
                        .build());
    }

    private static void keepStable() {
        Object[][] stable = new Object[LIVING][];
        for (int i = 0; i < LIVING; i++) {
            stable[i] = new Object[LIVING_PLACES];
        }
        STABLE.set(stable);
    }

    private static void keep(SplittableRandom random) {
        for (int i = 0; i < 1_000; i++) {
            RING.set(random.nextInt(KEPT), new Object[random.nextInt(200)]);
        }
    }

    private static Object load() {
        return OwnLoader.make(Plugin.class).get();
    }

    private static void startThread(SplittableRandom random) throws Exception {
        int size = random.nextInt(100);
        Thread thread = new Thread(() -> RING.set(size, new Object[size]));
        thread.start();
        thread.join();
    }

    /** With the same code: a class that is running, and one whose loader goes afterwards. */
    private void redefine(SplittableRandom random) throws Exception {
        Object plugin = load();
        Class<?> type = random.nextBoolean() ? TroubleMain.class : plugin.getClass();
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream in = TroubleMain.class.getResourceAsStream(file)) {
            ClassDefinition same = new ClassDefinition(type, in.readAllBytes());
            Agent.instrumentation().orElseThrow().redefineClasses(same);
        }
        redefinitions.incrementAndGet();
        RING.set(random.nextInt(KEPT), plugin);
    }

    private void kill(SplittableRandom random) throws Exception {
        if (random.nextInt(CHILDREN_PER_KILL) > 0) {
            return;
        }
        if (Until.within(1, () -> child().isPresent())) {
            over.await(random.nextInt(KILL_MILLIS), TimeUnit.MILLISECONDS);
            child().filter(ProcessHandle::destroyForcibly).ifPresent(it -> kills.incrementAndGet());
        }
    }

    private static Optional<ProcessHandle> child() {
        return ProcessHandle.current().children().findFirst();
    }

    private static void restart(SplittableRandom random) throws Exception {
        Thread.sleep(random.nextInt(RESTART_MILLIS));
        HeapSampler.stop();
        if (random.nextInt(RESTARTS_PER_RESET) == 0) {
            HeapSampler.reset();
            start();
            keepStable();
        } else {
            start();
        }
    }
}
