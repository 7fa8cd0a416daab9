// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import java.beans.PropertyChangeListener;
import java.beans.PropertyChangeSupport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.ref.Cleaner;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

/** What applications do with the JDK all day, and leave nothing behind. */
@NoLeaks
@Known(Truth.CLEAN)
class JdkUses {

    private static final PropertyChangeSupport SUPPORT = new PropertyChangeSupport("bean");
    private static final StringBuilder BUILDER = new StringBuilder();
    private static final ByteArrayOutputStream WRITTEN = new ByteArrayOutputStream();
    private static final ScheduledThreadPoolExecutor SCHEDULER = new ScheduledThreadPoolExecutor(1);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final List<Object> LIST = new ArrayList<>();
    private static final ExecutorService POOL =
            Executors.newSingleThreadExecutor(
                    task -> {
                        Thread thread = new Thread(task);
                        thread.setDaemon(true);
                        return thread;
                    });
    private static volatile Object sink;

    static {
        SCHEDULER.setRemoveOnCancelPolicy(true);
    }

    @Test
    void listenerThatIsRemoved() {
        int[] state = new int[1];
        PropertyChangeListener listener = event -> state[0]++;
        SUPPORT.addPropertyChangeListener(listener);
        SUPPORT.firePropertyChange("name", 1, 2);
        SUPPORT.removePropertyChangeListener(listener);
    }

    @Test
    void builderThatIsEmptied() {
        BUILDER.setLength(0);
        for (int i = 0; i < 50; i++) {
            BUILDER.append("line ").append(i);
        }
    }

    @Test
    void streamThatIsReset() {
        WRITTEN.reset();
        WRITTEN.writeBytes(new byte[1_000]);
    }

    @Test
    void format() {
        sink = String.format("%s has %,d and %.2f", Unique.name(), 123_456, 1.5).length();
    }

    @Test
    void regularExpression() {
        sink = Pattern.compile("(\\w+)-(\\d+)").matcher(Unique.name()).matches();
    }

    @Test
    void uuid() {
        sink = UUID.randomUUID().hashCode();
    }

    @Test
    void streams() {
        sink =
                IntStream.range(0, 100)
                        .boxed()
                        .collect(Collectors.groupingBy(i -> i % 7, Collectors.counting()))
                        .size();
    }

    @Test
    void temporaryFile() throws Exception {
        Path file = Files.createTempFile("trial", ".txt");
        Files.writeString(file, Unique.name());
        Files.delete(file);
    }

    @Test
    void deflater() {
        Deflater deflater = new Deflater();
        deflater.setInput(new byte[1_000]);
        deflater.finish();
        sink = deflater.deflate(new byte[200]);
        deflater.end();
    }

    @Test
    void cancelledTaskThatIsRemoved() {
        SCHEDULER.schedule(() -> {}, 2, TimeUnit.HOURS).cancel(true);
    }

    @Test
    void cleanerThatRuns() {
        CLEANER.register(new byte[100], () -> {});
    }

    @Test
    void futureThatCompletes() {
        sink =
                CompletableFuture.completedFuture(Unique.name())
                        .thenApply(String::length)
                        .thenCombine(CompletableFuture.completedFuture(1), Integer::sum)
                        .join();
    }

    @Test
    void taskOfAnExecutor() throws Exception {
        sink = POOL.submit(() -> Unique.name().length()).get();
    }

    @Test
    void threadThatEnds() throws Exception {
        Thread thread = new Thread(() -> sink = Unique.number());
        thread.start();
        thread.join();
    }

    @Test
    void dates() {
        LocalDate day = LocalDate.of(2_000, 1, 1).plusDays(Unique.number() % 10_000);
        sink = DateTimeFormatter.ISO_LOCAL_DATE.format(day).length();
    }

    @Test
    void internedName() {
        sink = Unique.name().intern().length();
    }

    @Test
    void classLoaderThatIsDropped() {
        ClassLoader loader = new URLClassLoader(new URL[0], getClass().getClassLoader());
        Object proxy =
                Proxy.newProxyInstance(
                        loader, new Class<?>[] {Runnable.class}, (self, method, given) -> null);
        ((Runnable) proxy).run();
    }

    @Test
    void serialization() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new ArrayList<>(List.of(Unique.name(), 7)));
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            sink = in.readObject().hashCode();
        }
    }

    @Test
    void xml() throws Exception {
        String text = "<order><line id='" + Unique.name() + "'/></order>";
        sink =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                        .getDocumentElement()
                        .getTagName();
    }

    @Test
    void listThatIsCleared() {
        for (int i = 0; i < 100; i++) {
            LIST.add(new byte[10]);
        }
        LIST.clear();
    }
}
