// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs in a forked JVM, as an application server does: several copies of HeapSampler, each in a
 * class loader of its own. An argument {@code a:start} lets copy a take the step {@code start} of
 * {@link Probe}. Further steps: {@code drop} forgets a copy and waits until it is collected; {@code
 * await} starts a copy, a new one each time, until that is not refused. {@code load} alone lets
 * threads of the application allocate from then on.
 *
 * <p>The classes of a copy come from the system property {@link #PATH}.
 */
public final class Tenants {

    static final String PATH = "tenants.path";

    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(100);

    private static volatile Object sink;

    private final Map<String, URLClassLoader> loaders = new HashMap<>();

    private Tenants() {}

    public static void main(String[] steps) throws Exception {
        Tenants tenants = new Tenants();
        for (String step : steps) {
            tenants.take(step);
        }
        System.out.println("done=" + steps.length);
    }

    private void take(String step) throws Exception {
        String[] parts = step.split(":", 2);
        if (step.equals("load")) {
            allocateAlways();
        } else if (parts[1].equals("drop")) {
            drop(parts[0]);
        } else if (parts[1].equals("await")) {
            await(parts[0]);
        } else {
            run(parts[0], parts[0] + ".", parts[1]);
        }
    }

    private int run(String name, String prefix, String step) throws Exception {
        URLClassLoader loader = loaders.get(name);
        if (loader == null) {
            loader = new URLClassLoader(urls(), ClassLoader.getPlatformClassLoader());
            loaders.put(name, loader);
        }
        Class<?> probe = loader.loadClass(Probe.class.getName());
        Object code =
                probe.getMethod("run", String.class, String[].class)
                        .invoke(null, prefix, new String[] {step});
        return (int) code;
    }

    private static URL[] urls() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String path : System.getProperty(PATH).split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private void drop(String name) throws Exception {
        WeakReference<URLClassLoader> loader = forget(name);
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (loader.get() != null) {
            pause(deadline, name + " is not collected");
        }
        System.out.println(name + ".dropped=true");
    }

    private WeakReference<URLClassLoader> forget(String name) throws Exception {
        URLClassLoader loader = loaders.remove(name);
        loader.close();
        return new WeakReference<>(loader);
    }

    /** The library of a collected copy is unloaded by another thread, some time later. */
    private void await(String name) throws Exception {
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (run(name, "refused." + name + ".", "start") != 0) {
            forget(name);
            pause(deadline, name + " is refused");
        }
    }

    private static void pause(long deadline, String what) {
        if (System.nanoTime() > deadline) {
            throw new IllegalStateException(what + " after 100 s");
        }
        System.gc();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }

    private static void allocateAlways() {
        for (int i = 0; i < 2; i++) {
            Thread thread =
                    new Thread(
                            () -> {
                                while (true) {
                                    sink = new byte[512];
                                }
                            },
                            "load-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }
}
