// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * A cache that fills slowly up to its bound and stays full. Arguments: seconds, entries at most,
 * new keys per second.
 */
final class WarmCache {

    private WarmCache() {}

    public static void main(String... args) {
        Cache<Integer, String> cache =
                Caffeine.newBuilder().maximumSize(Integer.parseInt(args[1])).build();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[2]),
                        number -> {
                            Garbage.make(100);
                            Garbage.sink = cache.get(number, key -> Garbage.text(4_000));
                        });
        System.out.println("entries: " + cache.estimatedSize());
    }
}
