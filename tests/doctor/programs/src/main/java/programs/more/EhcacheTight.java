// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.ehcache.Cache;
import org.ehcache.CacheManager;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;

import java.util.Random;

/**
 * Faulty in a small heap: an Ehcache is full and no longer grows, but takes most of the heap, and
 * the entries that it replaces have become old.
 */
public final class EhcacheTight {

    private static final int LOOKUPS_A_SECOND = 5_000;

    private static long read;

    private final Cache<Integer, String[]> profiles;

    private final Random random = new Random(1);

    private final int entries;

    private EhcacheTight(CacheManager manager, int entries) {
        this.entries = entries;
        profiles =
                manager.createCache(
                        "profiles",
                        CacheConfigurationBuilder.newCacheConfigurationBuilder(
                                Integer.class, String[].class, ResourcePoolsBuilder.heap(entries)));
        for (int i = 0; i < entries; i++) {
            profiles.put(i, load(i));
        }
    }

    private static String[] load(int customer) {
        String[] profile = new String[60];
        for (int i = 0; i < profile.length; i++) {
            profile[i] = "customer " + customer + " likes number " + i;
        }
        return profile;
    }

    private int greet() {
        int customer = random.nextInt(3 * entries);
        String[] profile = profiles.get(customer);
        if (profile == null) {
            profile = load(customer);
            profiles.put(customer, profile);
        }
        return String.join(", ", profile).length();
    }

    public static void main(String... args) {
        int entries = Integer.parseInt(args[1]);
        try (CacheManager manager = CacheManagerBuilder.newCacheManagerBuilder().build(true)) {
            EhcacheTight shop = new EhcacheTight(manager, entries);
            Load.at(LOOKUPS_A_SECOND, args, number -> read += shop.greet());
        }
        System.out.println("read " + read);
    }
}
