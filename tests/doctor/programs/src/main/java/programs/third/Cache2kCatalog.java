// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.Random;
import org.cache2k.Cache;
import org.cache2k.Cache2kBuilder;
import programs.more.Load;

/**
 * Healthy: a cache2k cache of a fixed capacity fills in the first half of the run; from then on
 * each new entry evicts another.
 */
public final class Cache2kCatalog {

    private static final int LOOKUPS_A_SECOND = 1_200;

    private static final int CAPACITY = 30_000;

    private static final int PRODUCTS = 120_000;

    private static long read;

    private final Random random = new Random(1);

    private final Cache<Integer, String> pages =
            Cache2kBuilder.of(Integer.class, String.class)
                    .entryCapacity(CAPACITY)
                    .eternal(true)
                    .build();

    private static String page(int product) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            page.append("property ").append(i).append(" of product ").append(product);
            page.append(" is good\n");
        }
        return page.toString();
    }

    private int show() {
        return pages.computeIfAbsent(random.nextInt(PRODUCTS), Cache2kCatalog::page).length();
    }

    public static void main(String... args) {
        Cache2kCatalog shop = new Cache2kCatalog();
        Load.at(LOOKUPS_A_SECOND, args, number -> read += shop.show());
        System.out.println("read " + read + ", cached " + shop.pages.asMap().size());
        shop.pages.close();
    }
}
