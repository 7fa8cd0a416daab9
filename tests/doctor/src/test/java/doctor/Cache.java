// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.HeapLabels;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A cache that forgets its oldest entry when it is full; it may leak, for one of its tenants. */
@SuppressWarnings("try") // A scope need not be named in its block.
final class Cache implements Program {

    private static final HeapLabels LEAKING = HeapLabels.of("tenant", "acme");
    private static final HeapLabels[] OTHERS = {
        HeapLabels.of("tenant", "t1"), HeapLabels.of("tenant", "t2"), HeapLabels.of("tenant", "t3")
    };

    private final Map<Integer, byte[]> entries = new LinkedHashMap<>();
    private final List<byte[]> leaked = new ArrayList<>();
    private final int most;
    private final int leakEvery;
    private final int restEvery;

    private Cache(int most, int leakEvery, int restEvery) {
        this.most = most;
        this.leakEvery = leakEvery;
        this.restEvery = restEvery;
    }

    /** Forgets all that it should. */
    static Cache bounded(int most) {
        return new Cache(most, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /** The same for an application that has time to rest. */
    static Cache resting(int most) {
        return new Cache(most, Integer.MAX_VALUE, 64);
    }

    /** One in 32 of its entries stays forever. */
    static Cache leaking() {
        return new Cache(5_000, 32, 64);
    }

    @Override
    public void run(BooleanSupplier running) throws InterruptedException {
        for (int i = 0; running.getAsBoolean(); i++) {
            put(i);
            if (i % leakEvery == leakEvery - 1) {
                leak();
            }
            for (int k = 0; k < 4; k++) {
                Sink.last = new byte[256];
            }
            if (i % restEvery == restEvery - 1) {
                Thread.sleep(1);
            }
        }
    }

    private void put(int key) {
        try (HeapLabels.Scope scope = OTHERS[key % OTHERS.length].open()) {
            entries.put(key, new byte[4096]);
        }
        if (entries.size() > most) {
            Iterator<Integer> oldest = entries.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    private void leak() {
        try (HeapLabels.Scope scope = LEAKING.open()) {
            leaked.add(new byte[4096]);
        }
    }
}
