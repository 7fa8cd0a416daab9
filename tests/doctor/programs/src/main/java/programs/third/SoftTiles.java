// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.Map;
import java.util.Random;
import org.apache.commons.collections4.map.AbstractReferenceMap.ReferenceStrength;
import org.apache.commons.collections4.map.ReferenceMap;
import programs.more.Load;

/**
 * Healthy: a map server keeps its tiles in a map of soft values of Commons Collections, which grows
 * until the collector clears the tiles that have not been read for long.
 */
public final class SoftTiles {

    private static final int TILES_A_SECOND = 300;

    private static final int TILES = 12_000;

    private static long read;

    private static long painted;

    private final Random random = new Random(1);

    private final Map<Integer, byte[]> tiles =
            new ReferenceMap<>(ReferenceStrength.HARD, ReferenceStrength.SOFT, true);

    private static byte[] paint(int number) {
        byte[] tile = new byte[24 << 10];
        for (int i = 0; i < tile.length; i++) {
            tile[i] = (byte) (number * 31 + i);
        }
        painted++;
        return tile;
    }

    private int show() {
        int number = random.nextInt(TILES);
        byte[] tile = tiles.get(number);
        if (tile == null) {
            tile = paint(number);
            tiles.put(number, tile);
        }
        return tile.clone().length;
    }

    public static void main(String... args) {
        SoftTiles server = new SoftTiles();
        Load.at(TILES_A_SECOND, args, number -> read += server.show());
        System.out.println(
                "read " + read + ", painted " + painted + ", kept " + server.tiles.size());
    }
}
