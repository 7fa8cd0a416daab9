// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cache of profiles with a bound. Arguments: seconds, entries at most, different keys, requests
 * per second.
 */
final class CaffeineCache {

    private static final int PROFILE_BYTES = 8_000;

    private CaffeineCache() {}

    /** Loads profiles. */
    static final class Profiles {

        private Profiles() {}

        static byte[] load(int key) {
            byte[] profile = new byte[PROFILE_BYTES];
            profile[0] = (byte) key;
            return profile;
        }
    }

    /** Static, or a collection after the last turn would free it. */
    private static Cache<Integer, byte[]> cache;

    public static void main(String... args) {
        cache = Caffeine.newBuilder().maximumSize(Integer.parseInt(args[1])).build();
        int keys = Integer.parseInt(args[2]);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[3]),
                        number -> {
                            Garbage.make(24);
                            int key = ThreadLocalRandom.current().nextInt(keys);
                            Garbage.sink = cache.get(key, Profiles::load);
                        });
        System.out.println("entries: " + cache.estimatedSize());
    }
}
