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
 * Healthy: an Ehcache of some hundred megabytes is loaded at the start and then read; the heap is
 * large, and few entries change.
 */
public final class EhcacheSteady {

    private static final int ENTRIES = 40_000;

    private static final int LOOKUPS_A_SECOND = 2_000;

    private static long read;

    private final Random random = new Random(1);

    private final Cache<Integer, String[]> products;

    private EhcacheSteady(CacheManager manager) {
        products =
                manager.createCache(
                        "products",
                        CacheConfigurationBuilder.newCacheConfigurationBuilder(
                                Integer.class,
                                String[].class,
                                ResourcePoolsBuilder.heap(2L * ENTRIES)));
        for (int i = 0; i < ENTRIES; i++) {
            products.put(i, load(i));
        }
    }

    private static String[] load(int product) {
        String[] lines = new String[60];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "product " + product + " has property " + i;
        }
        return lines;
    }

    private int show(int number) {
        int product = random.nextInt(ENTRIES);
        if (number % 100 == 0) {
            products.put(product, load(product));
        }
        return String.join("\n", products.get(product)).length();
    }

    public static void main(String... args) {
        try (CacheManager manager = CacheManagerBuilder.newCacheManagerBuilder().build(true)) {
            EhcacheSteady shop = new EhcacheSteady(manager);
            Load.at(LOOKUPS_A_SECOND, args, number -> read += shop.show(number));
        }
        System.out.println("read " + read);
    }
}
