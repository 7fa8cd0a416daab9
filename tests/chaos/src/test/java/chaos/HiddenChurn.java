// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.invoke.MethodHandles;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** Hidden classes that come, allocate and go; the amount is their number. */
final class HiddenChurn implements Scenario {

    private static final int TEMPLATES = 20;
    private static final int CALLS = 40;
    private static final int BETWEEN_COLLECTIONS = 500;

    @Override
    public String run(long amount) throws Exception {
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long before = classes.getUnloadedClassCount();
        byte[][] templates = new byte[TEMPLATES][];
        for (int i = 0; i < TEMPLATES; i++) {
            templates[i] = ClassMaker.make("Hidden", i);
        }
        for (long i = 0; i < amount; i++) {
            Class<?> type =
                    MethodHandles.lookup()
                            .defineHiddenClass(templates[(int) (i % TEMPLATES)], true)
                            .lookupClass();
            Supplier<?> made = (Supplier<?>) type.getDeclaredConstructor().newInstance();
            for (int call = 0; call < CALLS; call++) {
                Junk.keep(call, made.get());
            }
            if (i % BETWEEN_COLLECTIONS == BETWEEN_COLLECTIONS - 1) {
                System.gc();
            }
        }
        long unloaded = classes.getUnloadedClassCount() - before;
        long due = (amount / BETWEEN_COLLECTIONS - 1) * BETWEEN_COLLECTIONS;
        if (unloaded < due / 2) {
            throw new IllegalStateException("only " + unloaded + " were unloaded");
        }
        return "unloaded=" + unloaded;
    }
}
