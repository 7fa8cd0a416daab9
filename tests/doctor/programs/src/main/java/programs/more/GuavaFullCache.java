// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Healthy: a bounded Guava cache fills in the first seconds, and from then on evicts an entry for
 * each that it loads.
 */
public final class GuavaFullCache {

    private static final int ENTRIES = 16_000;

    private static final int LOOKUPS_A_SECOND = 3_000;

    private static long written;

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

    public static void main(String... args) {
        GuavaFullCache shop = new GuavaFullCache();
        Random random = new Random(1);
        Load.at(
                LOOKUPS_A_SECOND,
                args,
                number -> written += shop.greet((int) Math.abs(random.nextGaussian() * ENTRIES)));
        System.out.println("written " + written + ", " + shop.profiles.stats());
    }
}
