// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Short-lived threads, each with a name of its own; the amount is their number. */
final class ThreadChurn implements Scenario {

    private static final int AT_ONCE = 50;
    private static final int STACK_BYTES = 256 * 1024;
    private static final int OBJECTS = 3;

    @Override
    public String run(long amount) throws Exception {
        for (long done = 0; done < amount; done += AT_ONCE) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                long number = done + i;
                threads.add(new Thread(null, () -> live(number), "brief " + number, STACK_BYTES));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                Crew.end(thread);
            }
        }
        return "";
    }

    private static void live(long number) {
        SplittableRandom random = new SplittableRandom(number);
        Junk.make(random, OBJECTS);
        Junk.keep((int) number, new byte[8_192]);
    }
}
