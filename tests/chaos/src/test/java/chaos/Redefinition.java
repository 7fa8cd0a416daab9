// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.util.function.Supplier;

/** Flips a class between versions while others run it; the amount is the number of flips. */
final class Redefinition implements Scenario {

    private static final int VERSIONS = 7;
    private static final int RUNNERS = 2;

    private static final class Loader extends ClassLoader {

        Loader() {
            super(Redefinition.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass("chaos.Redefined", bytes, 0, bytes.length);
        }
    }

    @Override
    public String run(long amount) throws Exception {
        Instrumentation instrumentation = Agent.instrumentation();
        byte[][] versions = new byte[VERSIONS][];
        for (int i = 0; i < VERSIONS; i++) {
            versions[i] = ClassMaker.make("Redefined", i);
        }
        Class<?> type = new Loader().define(versions[0]);
        Supplier<?> made = (Supplier<?>) type.getDeclaredConstructor().newInstance();
        try (Crew crew = new Crew()) {
            for (int i = 0; i < RUNNERS; i++) {
                int slot = i;
                crew.repeat("runner " + i, () -> Junk.keep(slot, made.get()));
            }
            for (long i = 0; i < amount && !crew.hasFailed(); i++) {
                byte[] next = versions[(int) (i % VERSIONS)];
                instrumentation.redefineClasses(new ClassDefinition(type, next));
                Junk.keep((int) i, made.get());
            }
        }
        return "";
    }
}
