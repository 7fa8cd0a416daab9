// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.github.luben.zstd.Zstd;

/**
 * Compresses large arrays at a high level, which holds a critical section all the while; the other
 * requests must wait when they need a collection. Arguments: seconds, arrays per second, MiB of
 * each, level.
 */
final class ZstdCritical {

    private ZstdCritical() {}

    public static void main(String... args) {
        byte[] archive = Garbage.text(Integer.parseInt(args[2]) << 20).getBytes();
        int level = Integer.parseInt(args[3]);
        Thread requests =
                new Thread(() -> Pace.of(args).at(100, number -> Garbage.make(1_000)), "requests");
        requests.setDaemon(true);
        requests.start();
        Pace.of(args).at(Double.parseDouble(args[1]), number -> pack(archive, level));
    }

    private static void pack(byte[] archive, int level) {
        Garbage.sink = Zstd.compress(archive, level);
    }
}
