// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.SplittableRandom;

/** Objects made by native code and by the JVM's own routines, on behalf of Java code. */
final class Natives implements Scenario {

    private static final int CALLS = 400;

    private final SplittableRandom random = new SplittableRandom(4);
    private final int[] array = {1, 2, 3};

    @Override
    public void round() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            make(random.nextInt(12), 1 + random.nextInt(3));
        }
    }

    private void make(int kind, int size) throws Exception {
        switch (kind) {
            case 0 -> Sink.last = Array.newInstance(String.class, size);
            case 1 -> Sink.last = Array.newInstance(long.class, size, size);
            case 2 -> Sink.last = new int[size][size][2];
            case 3 -> Sink.last = array.clone();
            case 4 -> Sink.last = new ArrayList<>(java.util.List.of(size)).clone();
            case 5 -> Sink.last = new Throwable("made " + size);
            case 6 -> Sink.last = new Throwable().getStackTrace();
            case 7 -> Sink.last = Natives.class.getDeclaredMethods();
            case 8 -> Sink.last = ("text " + random.nextInt(64)).intern();
            case 9 ->
                    Sink.last =
                            StackWalker.getInstance().walk(s -> s.map(String::valueOf).toList());
            case 10 -> Sink.last = Class.forName("[Ljava.lang.String;").getInterfaces();
            default -> Sink.last = Thread.currentThread().getStackTrace();
        }
    }
}
