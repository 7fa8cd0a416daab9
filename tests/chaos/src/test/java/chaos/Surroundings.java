// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.LogManager;
import java.util.stream.Stream;

/**
 * All of the application's surroundings that a library could touch, as texts that can be compared.
 */
final class Surroundings {

    private static final List<String> STATUS_FIELDS =
            List.of("SigBlk", "SigIgn", "SigCgt", "Umask", "NoNewPrivs", "Seccomp", "CapEff");

    /** Tells copies of HeapSampler in one JVM of each other; the only property that stays. */
    private static final String OURS = "heapsampler.engine";

    private Surroundings() {}

    /** Returns what there is now, by name. */
    static Map<String, String> now() throws Exception {
        Map<String, String> all = new TreeMap<>();
        Map<Object, Object> properties = new TreeMap<>(System.getProperties());
        properties.remove(OURS);
        all.put("properties", properties.toString());
        all.put("environment", new TreeMap<>(System.getenv()).toString());
        all.put("environ", ProcFile.read("environ"));
        all.put("signal handlers", Arrays.toString(NativeAgent.signalHandlers()));
        for (String field : STATUS_FIELDS) {
            all.put("process " + field, ProcFile.status(field));
        }
        all.put("limits", ProcFile.read("limits"));
        all.put("oom score", ProcFile.read("oom_score_adj"));
        all.put("threads", Residue.javaThreads().toString());
        all.put("system threads", Residue.systemThreads().toString());
        all.put("descriptors", ProcFile.descriptors().toString());
        for (String folder : List.of("user.dir", "java.io.tmpdir", "user.home")) {
            all.put("files in " + folder, files(System.getProperty(folder)));
        }
        all.put("streams", identities(System.in, System.out, System.err));
        all.put("defaults", defaults());
        all.put("this thread", thisThread());
        all.put("logging", logging());
        all.put("providers", Arrays.toString(Security.getProviders()));
        all.put(
                "management beans",
                new TreeSet<>(ManagementFactory.getPlatformMBeanServer().queryNames(null, null))
                        .toString());
        all.put("shutdown hooks", hooks());
        all.put("classes", classes());
        return all;
    }

    private static String files(String folder) throws Exception {
        try (Stream<Path> files = Files.walk(Path.of(folder), 3, new FileVisitOption[0])) {
            return files.sorted().toList().toString();
        }
    }

    private static String identities(Object... objects) {
        StringBuilder text = new StringBuilder();
        for (Object one : objects) {
            text.append(one.getClass().getName())
                    .append('@')
                    .append(System.identityHashCode(one))
                    .append(' ');
        }
        return text.toString();
    }

    private static String defaults() {
        return Locale.getDefault()
                + " "
                + TimeZone.getDefault().getID()
                + " "
                + Charset.defaultCharset()
                + " "
                + Thread.getDefaultUncaughtExceptionHandler();
    }

    private static String thisThread() {
        Thread self = Thread.currentThread();
        return self.getName()
                + " "
                + self.getPriority()
                + " "
                + self.isInterrupted()
                + " "
                + self.getThreadGroup()
                + " "
                + identities(self.getContextClassLoader(), self.getUncaughtExceptionHandler());
    }

    private static String logging() {
        java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
        return root.getLevel() + " " + identities((Object[]) root.getHandlers());
    }

    private static String hooks() throws Exception {
        Class<?> type = Class.forName("java.lang.ApplicationShutdownHooks");
        var field = type.getDeclaredField("hooks"); // --add-opens java.base/java.lang
        field.setAccessible(true);
        return new TreeSet<>(
                        ((Map<?, ?>) field.get(null))
                                .keySet().stream().map(String::valueOf).toList())
                .toString();
    }

    /** Those of the application: not the JDK's, not the sampler's. */
    private static String classes() {
        return new TreeSet<>(
                        Arrays.stream(Agent.instrumentation().getAllLoadedClasses())
                                .filter(Surroundings::isOfTheApplication)
                                .map(type -> type.getName())
                                .toList())
                .toString();
    }

    /** Nor those that reflection makes and drops for itself, each in a loader of its own. */
    private static boolean isOfTheApplication(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader != null
                && loader != ClassLoader.getPlatformClassLoader()
                && !type.isArray()
                && !type.isHidden()
                && !type.getName().startsWith("jdk.internal.reflect.")
                && !type.getName().startsWith("io.heapsampler.");
    }
}
