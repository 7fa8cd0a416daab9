// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import java.beans.PropertyChangeSupport;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.management.NotificationEmitter;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What applications leave behind with the JDK alone; one use per run. */
@NoLeaks
@Known(Truth.LEAK)
class JdkLeaks {

    /** What a JMX client would see. */
    public interface GaugeMBean {
        int getValue();
    }

    private static final class Gauge implements GaugeMBean {
        @Override
        public int getValue() {
            return 7;
        }
    }

    /** Its cleaning action holds it, so it never becomes unreachable. */
    private static final class Handle {
        private boolean isClosed;

        private void close() {
            isClosed = true;
        }
    }

    private static final Map<String, Object> SESSIONS = new HashMap<>();
    private static final Set<Integer> NUMBERS = new HashSet<>();
    private static final StringBuilder JOURNAL = new StringBuilder();
    private static final String LINE = "x".repeat(900);
    private static final ByteArrayOutputStream WRITTEN = new ByteArrayOutputStream();
    private static final List<Runnable> LISTENERS = new ArrayList<>();
    private static final List<Object> PLUGINS = new ArrayList<>();
    private static final PropertyChangeSupport SUPPORT = new PropertyChangeSupport("bean");
    private static final Map<Object, Object> ANNOTATED = new WeakHashMap<>();
    private static final Cleaner CLEANER = Cleaner.create();
    private static final CompletableFuture<String> NEVER = new CompletableFuture<>();
    private static final ScheduledThreadPoolExecutor SCHEDULER = new ScheduledThreadPoolExecutor(1);
    private static final ThreadLocal<List<byte[]>> OF_THREAD =
            ThreadLocal.withInitial(ArrayList::new);

    @Test
    void entryOfAStaticMap() {
        SESSIONS.put(Unique.name(), new Object());
    }

    @Test
    void fileDeletedOnExit() {
        new File(Unique.name()).deleteOnExit();
    }

    @Test
    void systemProperty() {
        System.setProperty(Unique.name(), "on");
    }

    @Test
    void shutdownHook() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {}));
    }

    @Test
    void cancelledTaskStaysInTheQueue() {
        SCHEDULER.schedule(() -> {}, 2, TimeUnit.HOURS).cancel(true);
    }

    @Test
    void managedBean() throws Exception {
        ObjectName name = new ObjectName("trial:type=Gauge,name=" + Unique.name());
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Gauge(), name);
    }

    @Test
    void propertyListener() {
        int[] state = new int[8];
        SUPPORT.addPropertyChangeListener(event -> state[0]++);
    }

    @Test
    void weakMapWhoseValueHoldsItsKey() {
        byte[] key = new byte[16];
        ANNOTATED.put(key, List.of(key));
    }

    @Test
    void cleanerThatHoldsItsObject() {
        Handle handle = new Handle();
        CLEANER.register(handle, handle::close);
    }

    @Test
    void dependentOfAFutureThatNeverCompletes() {
        NEVER.thenAccept(text -> {});
    }

    @Test
    void memoryListener() {
        int[] seen = new int[1];
        NotificationEmitter memory = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
        memory.addNotificationListener((event, back) -> seen[0]++, null, null);
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_19) // Groups do not hold their subgroups any more.
    void threadGroup() {
        new ThreadGroup(Unique.name());
    }

    @Test
    void listOfAThread() {
        OF_THREAD.get().add(new byte[40]);
    }

    @Test
    void setOfNumbers() {
        NUMBERS.add(Unique.number());
    }

    @Test
    void loggerPerName() {
        Logger.getLogger(Unique.name());
    }

    @Test
    void builderThatIsNeverEmptied() {
        JOURNAL.append(LINE);
    }

    @Test
    void streamThatIsNeverReset() {
        WRITTEN.writeBytes(LINE.getBytes());
    }

    @Test
    void listenerThatCapturesAView() {
        byte[] view = new byte[2_500];
        LISTENERS.add(() -> view[0]++);
    }

    @Test
    void classLoaderOfAPlugin() {
        ClassLoader loader = new URLClassLoader(new URL[0], getClass().getClassLoader());
        PLUGINS.add(
                Proxy.newProxyInstance(
                        loader, new Class<?>[] {Runnable.class}, (proxy, method, given) -> null));
    }

    @Test
    void databaseDriver() throws Exception {
        DriverManager.registerDriver(new org.h2.Driver());
    }
}
