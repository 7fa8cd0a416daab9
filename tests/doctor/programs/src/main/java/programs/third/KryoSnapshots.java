// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.ByteBufferOutput;
import com.esotericsoftware.kryo.util.Pool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import programs.more.Load;

/**
 * Healthy: snapshots of the accounts are written with Kryo into direct buffers of 16 MiB, which a
 * pool hands out again and again.
 */
public final class KryoSnapshots {

    private static final int SNAPSHOTS_A_SECOND = 4;

    private static final int BUFFER = 16 << 20;

    private static final int WORKERS = 6;

    private static final int ACCOUNTS = 30_000;

    private static final AtomicLong WRITTEN = new AtomicLong();

    private static final AtomicLong CREATED = new AtomicLong();

    private final Map<Integer, String[]> accounts = new ConcurrentHashMap<>();

    private final Pool<ByteBufferOutput> buffers =
            new Pool<>(true, false, WORKERS) {
                @Override
                protected ByteBufferOutput create() {
                    CREATED.incrementAndGet();
                    return new ByteBufferOutput(BUFFER);
                }
            };

    private static void snapshot(KryoSnapshots bank) {
        Kryo kryo = new Kryo();
        kryo.register(String[].class);
        ByteBufferOutput buffer = bank.buffers.obtain();
        try {
            buffer.reset();
            for (Map.Entry<Integer, String[]> each : bank.accounts.entrySet()) {
                buffer.writeInt(each.getKey());
                kryo.writeObject(buffer, each.getValue());
            }
            WRITTEN.addAndGet(buffer.total());
        } finally {
            bank.buffers.free(buffer);
        }
    }

    private void change(int number) {
        for (int i = 0; i < 300; i++) {
            int account = (number * 300 + i) % ACCOUNTS;
            accounts.put(account, account(account, number));
        }
    }

    private static String[] account(int account, int version) {
        String[] entries = new String[6];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = "entry " + i + " of account " + account + ", version " + version;
        }
        return entries;
    }

    public static void main(String... args) throws InterruptedException {
        KryoSnapshots bank = new KryoSnapshots();
        for (int i = 0; i < ACCOUNTS; i++) {
            bank.accounts.put(i, account(i, 0));
        }
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        Load.at(
                SNAPSHOTS_A_SECOND,
                args,
                number -> {
                    bank.change(number);
                    // Once in five seconds all workers write at the same time.
                    int copies = number % (5 * SNAPSHOTS_A_SECOND) == 0 ? WORKERS : 1;
                    for (int i = 0; i < copies; i++) {
                        workers.execute(() -> snapshot(bank));
                    }
                });
        workers.shutdown();
        workers.awaitTermination(10, TimeUnit.SECONDS);
        System.out.println("written " + WRITTEN + ", buffers " + CREATED);
    }
}
