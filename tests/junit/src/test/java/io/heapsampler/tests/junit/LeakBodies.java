// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.lang.ref.Cleaner;
import java.lang.ref.SoftReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Code that leaks when it is run once more, and code that does not, for {@link LeakBodiesTest}. */
final class LeakBodies {

    private static final Cleaner CLEANER = Cleaner.create();

    /** The JVM holds its values by a field that no heap walk shows. */
    private static final ClassValue<List<Object>> OF_CLASS =
            new ClassValue<>() {
                @Override
                protected List<Object> computeValue(Class<?> type) {
                    return new ArrayList<>();
                }
            };

    private final Map<String, ThrowingRunnable> leaks = new LinkedHashMap<>();
    private final Map<String, ThrowingRunnable> clean = new LinkedHashMap<>();
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final Random random = new Random(5);
    private int next;
    private Object last;
    private final Map<String, Method> methods = new HashMap<>();
    private SoftReference<List<Object>> softly = new SoftReference<>(new ArrayList<>());

    LeakBodies() {
        collections();
        hidden();
        buffers();
        registries();
        caches();
        references();
        everyday();
    }

    Map<String, ThrowingRunnable> leaks() {
        return leaks;
    }

    Map<String, ThrowingRunnable> clean() {
        return clean;
    }

    /** A list that only a soft reference holds, a new one where it was cleared. */
    private List<Object> softly() {
        List<Object> list = softly.get();
        if (list == null) {
            list = new ArrayList<>();
            softly = new SoftReference<>(list);
        }
        return list;
    }

    private String key() {
        return UUID.randomUUID().toString();
    }

    /** Keys and values are there before: only the collection grows. */
    private void collections() {
        Integer[] keys = new Integer[2_000];
        Arrays.setAll(keys, i -> 1_000 + i);
        Map<Integer, String> hashMap = new HashMap<>();
        leaks.put("HashMap", () -> hashMap.put(keys[next++], "v"));
        Map<Integer, String> concurrent = new ConcurrentHashMap<>();
        leaks.put("ConcurrentHashMap", () -> concurrent.put(keys[next++], "v"));
        List<String> list = new ArrayList<>();
        leaks.put("ArrayList", () -> list.add("v"));
        Queue<String> linked = new ConcurrentLinkedQueue<>();
        leaks.put("ConcurrentLinkedQueue", () -> linked.add("v"));
        List<String> copied = new CopyOnWriteArrayList<>();
        leaks.put("CopyOnWriteArrayList", () -> copied.add("v"));
        if (Tier.LONG) {
            moreCollections(keys);
        }
    }

    /** They grow as those do: by a node or an entry, or by a larger array now and then. */
    private void moreCollections(Integer[] keys) {
        Map<Integer, String> treeMap = new TreeMap<>();
        leaks.put("TreeMap", () -> treeMap.put(keys[next++], "v"));
        Set<Integer> set = new HashSet<>();
        leaks.put("HashSet", () -> set.add(keys[next++]));
        Deque<String> deque = new ArrayDeque<>();
        leaks.put("ArrayDeque", () -> deque.add("v"));
        Map<Integer, String> identity = new IdentityHashMap<>();
        leaks.put("IdentityHashMap", () -> identity.put(keys[next++], "v"));
        Queue<String> heap = new PriorityQueue<>();
        leaks.put("PriorityQueue", () -> heap.add("v"));
    }

    private void buffers() {
        StringBuilder builder = new StringBuilder();
        leaks.put("StringBuilder", () -> builder.append("x".repeat(1_024)));
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        leaks.put("ByteArrayOutputStream", () -> stream.write(new byte[1_024]));
        int[][] ints = {new int[10]};
        int[] size = {0};
        leaks.put(
                "int[] that grows by half",
                () -> {
                    for (int i = 0; i < 250; i++) {
                        if (size[0] == ints[0].length) {
                            ints[0] = Arrays.copyOf(ints[0], size[0] + (size[0] >> 1));
                        }
                        ints[0][size[0]++] = i;
                    }
                });
    }

    private void registries() {
        CompletableFuture<String> never = new CompletableFuture<>();
        leaks.put("dependent of a future", () -> never.thenApply(String::length));
        leaks.put("system property", () -> System.setProperty("heapsampler.test." + key(), "v"));
        leaks.put("deleteOnExit", () -> new File("none", key()).deleteOnExit());
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
        resources.add(scheduler::shutdownNow);
        leaks.put(
                "cancelled task",
                () -> scheduler.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false));
        ThreadLocal<List<byte[]>> local = ThreadLocal.withInitial(ArrayList::new);
        leaks.put("list of a thread", () -> local.get().add(new byte[100]));
        List<Object> some = new ArrayList<>();
        leaks.put(
                "in half of the runs",
                () -> {
                    if (random.nextBoolean()) {
                        some.add(new byte[1_000]);
                    }
                });
        List<Object> large = new ArrayList<>();
        leaks.put("large objects", () -> large.add(new byte[300_000]));
    }

    /** Growth that something else conceals. */
    private void hidden() {
        List<Object> kept = new ArrayList<>(10_000);
        List<Object> batch = new ArrayList<>(10);
        leaks.put(
                "one of each batch",
                () -> {
                    batch.add(new byte[100]);
                    if (batch.size() == 4) {
                        kept.add(batch.get(0));
                        batch.clear();
                    }
                });
        leaks.put("recursion of any depth", () -> keepBelow(kept, random.nextInt(40)));
        Queue<Object> smaller = new ArrayDeque<>();
        for (int i = 0; i < 2_000; i++) {
            smaller.add(new byte[16]);
        }
        leaks.put(
                "larger in place of smaller",
                () -> {
                    smaller.poll();
                    kept.add(new byte[10_000]);
                });
    }

    private static void keepBelow(List<Object> kept, int depth) {
        if (depth == 0) {
            kept.add(new byte[100]);
        } else {
            keepBelow(kept, depth - 1);
        }
    }

    private void caches() {
        Map<String, Object> full = lru(100);
        clean.put("full cache of 100, larger entries", () -> full.put(key(), new byte[2_000]));
        Map<String, Object> large = lru(5_000);
        clean.put("full cache of 5,000", () -> large.put(key(), new byte[20]));
        clean.put(
                "full cache, 100 times",
                () -> {
                    for (int i = 0; i < 100; i++) {
                        large.put(key(), new byte[20]);
                    }
                });
        ArrayBlockingQueue<byte[]> ring = new ArrayBlockingQueue<>(64);
        while (ring.offer(new byte[2_000])) {
            next++;
        }
        clean.put(
                "full queue",
                () -> {
                    ring.poll();
                    ring.add(new byte[2_000]);
                });
        Map<Integer, Object> ten = new HashMap<>();
        clean.put("cache of 10 that fills", () -> ten.put(next++ % 10, new byte[1_000]));
        Map<Integer, Object> five = new HashMap<>();
        clean.put("random keys of 5", () -> five.put(random.nextInt(5), new byte[100]));
    }

    private Map<String, Object> lru(int most) {
        Map<String, Object> cache =
                new LinkedHashMap<>() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Object> eldest) {
                        return size() > most;
                    }
                };
        for (int i = 0; i <= most; i++) {
            cache.put(key(), new byte[20]);
        }
        return cache;
    }

    private static final class Finalized {

        private byte[] content = new byte[100];

        @Override
        @SuppressWarnings({"deprecation", "removal", "Finalize"})
        protected void finalize() {
            content = new byte[0];
        }

        int length() {
            return content.length;
        }
    }

    private void references() {
        WeakHashMap<Object, Object> held = new WeakHashMap<>();
        leaks.put(
                "weak map whose value holds its key",
                () -> {
                    Object key = new Object();
                    held.put(key, new Object[] {key});
                });
        leaks.put(
                "cleaner that holds its object",
                () -> {
                    Object[] object = new Object[1];
                    CLEANER.register(object, () -> object[0] = null);
                });
        leaks.put(
                "class value, softly reachable as well",
                () -> {
                    byte[] bytes = new byte[100];
                    OF_CLASS.get(LeakBodies.class).add(bytes);
                    softly().add(bytes);
                });
        List<Object> strongly = new ArrayList<>();
        leaks.put(
                "softly and strongly reachable, from one line",
                () -> List.of(strongly, softly()).forEach(list -> list.add(new byte[100])));
        WeakHashMap<Object, Object> weak = new WeakHashMap<>();
        clean.put("weak map", () -> weak.put(new Object(), new byte[10]));
        clean.put("finalizer", () -> next += new Finalized().length());
        clean.put("cleaner", () -> CLEANER.register(new Object(), () -> {}));
        clean.put("softly reachable", () -> softly().add(new byte[100]));
        clean.put(
                "softly reachable except for the newest",
                () -> {
                    last = new byte[100];
                    softly().add(last);
                });
        Map<Object, SoftReference<Object>> entries = new WeakHashMap<>();
        clean.put(
                "weak map of keys that are softly reachable",
                () -> {
                    Object key = new byte[10];
                    entries.put(key, new SoftReference<>(key));
                });
        clean.put(
                "thread-local that is left",
                () -> {
                    ThreadLocal<byte[]> local = new ThreadLocal<>();
                    local.set(new byte[100]);
                });
    }

    /**
     * From JDK 18 on the JDK makes code for a method that has been called 127 times: here in the
     * 16th, the 43rd and the 64th run.
     */
    private void callOften() throws ReflectiveOperationException {
        int[] times = {8, 3, 2};
        String[] names = {"length", "isEmpty", "strip"};
        for (int i = 0; i < names.length; i++) {
            Method method = methods.computeIfAbsent(names[i], LeakBodies::methodOfString);
            for (int n = 0; n < times[i]; n++) {
                last = method.invoke("x");
            }
        }
    }

    private static Method methodOfString(String name) {
        try {
            return String.class.getMethod(name);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private void everyday() {
        clean.put("nothing", () -> {});
        clean.put("replaces", () -> last = new byte[1_000]);
        clean.put(
                "garbage",
                () -> {
                    for (int i = 0; i < 1_000; i++) {
                        last = new byte[100];
                    }
                });
        clean.put("now and then", () -> last = random.nextBoolean() ? new byte[500] : null);
        clean.put("random size", () -> last = new byte[random.nextInt(5_000)]);
        clean.put("format", () -> last = String.format("%d %s %f", next++, "x", 1.5));
        clean.put("regex", () -> last = "a,b;c".split("[,;]", -1));
        clean.put("reflection", () -> last = String.class.getMethod("length").invoke("x"));
        clean.put("reflection, often", this::callOften);
        clean.put(
                "proxy",
                () ->
                        last =
                                Proxy.newProxyInstance(
                                        LeakBodies.class.getClassLoader(),
                                        new Class<?>[] {Runnable.class},
                                        (proxy, method, args) -> null));
        clean.put("exception", () -> last = new IllegalStateException("x"));
        clean.put("interned", () -> last = ("s" + next++ % 3).intern());
        clean.put(
                "thread",
                () -> {
                    Thread thread = new Thread(() -> last = new byte[10]);
                    thread.start();
                    thread.join();
                });
        clean.put(
                "pool",
                () -> {
                    ExecutorService pool = Executors.newFixedThreadPool(2);
                    pool.submit(() -> new byte[100]).get();
                    pool.shutdown();
                    pool.awaitTermination(1, TimeUnit.MINUTES);
                });
    }

    /** Ends the threads, and keeps what tests refer to until then. */
    Object close() throws Exception {
        for (AutoCloseable resource : resources) {
            resource.close();
        }
        return List.of(leaks, clean, String.valueOf(last));
    }
}
