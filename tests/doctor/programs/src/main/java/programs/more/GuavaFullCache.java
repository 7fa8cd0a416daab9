// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Healthy: a bounded Guava cache fills in the first seconds, and from then on evicts an entry for
 * each that it loads.
 */
public final class GuavaFullCache {

    private static final int ENTRIES = 16_000;

    private static final int LOOKUPS_A_SECOND = 3_000;

    private final LoadingCache<Integer, String[]> profiles =
            CacheBuilder.newBuilder()
                    .maximumSize(ENTRIES)
                    .expireAfterWrite(20, TimeUnit.SECONDS)
                    .recordStats()
                    .build(CacheLoader.from(GuavaFullCache::load));

    private static String[] load(Integer customer) {
        String[] profile = new String[40];
        for (int i = 0; i < profile.length; i++) {
            profile[i] = "customer " + customer + " likes " + i;
        }
        return profile;
    }

    private int greet(int customer) {
        String[] profile = profiles.getUnchecked(customer);
        return String.join(", ", profile).length();
    }

    public static void main(String[] args) {
        double seconds = Double.parseDouble(args[0]);
        GuavaFullCache shop = new GuavaFullCache();
        Random random = new Random(1);
        long start = System.nanoTime();
        long step = TimeUnit.SECONDS.toNanos(1) / LOOKUPS_A_SECOND;
        long written = 0;
        for (int i = 0; i < seconds * LOOKUPS_A_SECOND; i++) {
            written += shop.greet((int) Math.abs(random.nextGaussian() * ENTRIES));
            LockSupport.parkNanos(start + i * step - System.nanoTime());
        }
        System.out.println("written " + written + ", " + shop.profiles.stats());
    }
}
