// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A thread of HeapSampler takes nothing from the thread that happens to start it. */
class DaemonThreadsTest {

    private static final InheritableThreadLocal<Object> CONTEXT = new InheritableThreadLocal<>();
    private static final CountDownLatch END = new CountDownLatch(1);

    private static void waitForEnd() {
        try {
            END.await();
        } catch (InterruptedException e) {
            // Ends.
        }
    }

    @Test
    void nothingOfTheCallingThreadIsInherited() throws Exception {
        Object[] seen = new Object[1];
        Thread[] made = new Thread[1];
        ThreadGroup group = new ThreadGroup("of the application");
        Thread caller =
                new Thread(
                        group,
                        () -> {
                            CONTEXT.set("of a request");
                            made[0] = DaemonThreads.of(() -> seen[0] = CONTEXT.get(), "ours");
                        });
        caller.setContextClassLoader(new ClassLoader() {});
        caller.setPriority(Thread.MAX_PRIORITY);
        caller.start();
        caller.join();
        Thread thread = made[0];
        assertThat(thread.getName()).isEqualTo("ours");
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        assertThat(thread.getContextClassLoader()).isSameAs(ClassLoader.getSystemClassLoader());
        assertThat(thread.getThreadGroup().getParent()).isNull();
        thread.start();
        thread.join();
        assertThat(seen[0]).isNull();
    }

    /** Has a thread made; loaded by a class loader of its own. */
    public static final class Application implements UnaryOperator<Supplier<Thread>> {
        @Override
        public Supplier<Thread> apply(Supplier<Thread> making) {
            Thread thread = making.get();
            return () -> thread;
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Loader.class.getClassLoader());
        }

        Object application() throws Exception {
            String name = Application.class.getName();
            try (InputStream in =
                    Application.class.getResourceAsStream("DaemonThreadsTest$Application.class")) {
                byte[] bytes = in.readAllBytes();
                ProtectionDomain domain =
                        new ProtectionDomain(
                                new CodeSource(null, (java.security.CodeSigner[]) null),
                                null,
                                this,
                                null);
                return defineClass(name, bytes, 0, bytes.length, domain)
                        .getConstructor()
                        .newInstance();
            }
        }
    }

    private static WeakReference<ClassLoader> startFromALoaderOfItsOwn() throws Exception {
        Loader loader = new Loader();
        @SuppressWarnings("unchecked")
        UnaryOperator<Supplier<Thread>> application =
                (UnaryOperator<Supplier<Thread>>) loader.application();
        assertThat(application.getClass().getClassLoader()).isSameAs(loader);
        application
                .apply(() -> DaemonThreads.of(DaemonThreadsTest::waitForEnd, "ours"))
                .get()
                .start();
        return new WeakReference<>(loader);
    }

    /** A redeployed web application is one. */
    @Test
    void theApplicationThatStartedAThreadCanBeUnloadedWhileItRuns() throws Exception {
        WeakReference<ClassLoader> loader = startFromALoaderOfItsOwn();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (loader.get() != null && System.nanoTime() < deadline) {
            System.gc();
            Thread.sleep(20);
        }
        @Nullable ClassLoader left = loader.get();
        END.countDown();
        assertThat(left).isNull();
    }

    /** One that is never started inherits on purpose: what that costs is measured. */
    private static final String EXEMPT = "InheritedMeasure.java";

    @Test
    void noOtherCodeOfOursMakesThreads() throws IOException {
        Pattern making =
                Pattern.compile(
                        "(?m)^(?!\\s*\\*).*(new Thread\\(|extends Thread\\b|new"
                                + " Timer\\(|Executors\\.|new"
                                + " ForkJoinPool|Thread\\.(ofPlatform|ofVirtual|startVirtual)"
                                + "|\\.parallel(Stream)?\\(\\))");
        List<String> found;
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            found =
                    files.filter(file -> file.toString().contains("/src/main/java/"))
                            .filter(file -> file.toString().endsWith(".java"))
                            .filter(file -> making.matcher(read(file)).find())
                            .map(file -> file.getFileName().toString())
                            .filter(name -> !name.equals(EXEMPT))
                            .toList();
        }
        assertThat(found).containsExactly("DaemonThreads.java");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
