// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Turns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Divers that are at the bottom of different ways of the same depth when their compiled code
 * becomes wrong: the return address of all their frames is then one and the same, that of the
 * handler which deoptimises.
 */
final class Deopt implements Scenario {

    private static final int DIVERS = 3;
    private static final int DEPTH = 24;
    private static final int WARM_UP = 1_000;
    private static final int WARM_DEPTH = 9;
    private static final int DEADLINE_SECONDS = 170;

    private static final Map<String, byte[]> CLASSES =
            Loader.copies(
                    Descent.class,
                    Descent.ByHandle.class,
                    Descent.Weight.class,
                    Descent.Heavier.class,
                    Descent.Width.class,
                    Descent.Wider.class,
                    Descent.Deeper.class);

    private final SplittableRandom random = new SplittableRandom(17);
    private final ExecutorService divers = Turns.daemons(DIVERS);
    private final Class<?> template;

    Deopt(Class<?> template) {
        this.template = template;
    }

    @Override
    public void round() throws Exception {
        Diver diver = new Loader(CLASSES).make(template.getName(), Diver.class);
        for (int i = 0; i < Descent.STORMS; i++) {
            warmUp(diver);
            storm(diver, i);
        }
    }

    private void warmUp(Diver diver) {
        for (int i = 0; i < WARM_UP; i++) {
            dive(diver, WARM_DEPTH, random.nextLong(), () -> Sink.last = new Object());
        }
    }

    private static void dive(Diver diver, int depth, long way, Runnable bottom) {
        try {
            diver.dive(depth, way, bottom);
        } catch (Surfacing e) {
            Sink.last = e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void storm(Diver diver, int number) throws Exception {
        CyclicBarrier bottom = new CyclicBarrier(DIVERS, () -> diver.load(number));
        boolean surfacing = random.nextInt(3) == 0;
        List<Future<?>> dives = new ArrayList<>();
        for (int i = 0; i < DIVERS; i++) {
            long way = random.nextLong();
            dives.add(divers.submit(() -> dive(diver, DEPTH, way, () -> meet(bottom, surfacing))));
        }
        for (Future<?> dive : dives) {
            dive.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void meet(CyclicBarrier bottom, boolean surfacing) {
        Sink.last = new Object();
        try {
            bottom.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        for (int i = 0; i < 4; i++) {
            Sink.last = new int[i];
        }
        if (surfacing) {
            throw Surfacing.INSTANCE;
        }
    }
}
