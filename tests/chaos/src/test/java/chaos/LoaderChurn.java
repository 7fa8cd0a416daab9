// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.Until;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** Class loaders that come, allocate and go; the amount is their number. */
final class LoaderChurn implements Scenario {

    private static final int BETWEEN_COLLECTIONS = 250;
    private static final int CALLS = 40;
    private static final int PATIENCE_SECONDS = 120;

    private static final class Loader extends ClassLoader {

        Loader() {
            super(LoaderChurn.class.getClassLoader());
        }

        Supplier<?> make(String simpleName, long seed) throws ReflectiveOperationException {
            byte[] bytes = ClassMaker.make(simpleName, seed);
            Class<?> type = defineClass("chaos." + simpleName, bytes, 0, bytes.length);
            return (Supplier<?>) type.getDeclaredConstructor().newInstance();
        }
    }

    @Override
    public String run(long amount) throws Exception {
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long before = classes.getUnloadedClassCount();
        for (long i = 0; i < amount; i++) {
            // Some have the name of another that may still be there.
            Supplier<?> made = new Loader().make("Loaded" + (i % 5 == 0 ? 0 : i), i);
            for (int call = 0; call < CALLS; call++) {
                Junk.keep(call, made.get());
            }
            Junk.keep((int) i, made);
            if (i % BETWEEN_COLLECTIONS == BETWEEN_COLLECTIONS - 1) {
                System.gc();
            }
        }
        Junk.forget();
        boolean isUnloaded =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> {
                            System.gc();
                            return classes.getUnloadedClassCount() - before >= amount / 2;
                        });
        if (!isUnloaded) {
            throw new IllegalStateException(
                    "of "
                            + amount
                            + " classes only "
                            + (classes.getUnloadedClassCount() - before)
                            + " were unloaded");
        }
        return "unloaded=" + (classes.getUnloadedClassCount() - before);
    }
}
