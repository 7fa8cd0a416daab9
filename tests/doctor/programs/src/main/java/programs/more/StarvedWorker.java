// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHashFactory;

import java.io.IOException;
import java.util.List;
import java.util.Random;

/**
 * Healthy, on a starved machine: the process has the lowest priority on one processor, and a
 * neighbour takes that processor for 0.3 seconds out of 0.8. The collector's work is small.
 */
public final class StarvedWorker {

    private static final int BLOCKS_A_SECOND = 350;

    private static long hash;

    private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();

    private final byte[][] recent = new byte[500][];

    private int store(int number, Random random) {
        byte[] block = new byte[64 << 10];
        for (int i = 0; i < block.length; i += 64) {
            block[i] = (byte) random.nextInt();
        }
        byte[] packed = compressor.compress(block);
        recent[number % recent.length] = packed;
        return XXHashFactory.fastestInstance().hash32().hash(packed, 0, packed.length, 1);
    }

    private static void command(String... words) throws IOException, InterruptedException {
        new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static Process starve(double seconds) throws IOException, InterruptedException {
        String self = Long.toString(ProcessHandle.current().pid());
        String loop =
                "i=0; while [ $i -lt "
                        + (int) (seconds / 0.8)
                        + " ]; do i=$((i + 1));"
                        + " timeout 0.3 sh -c 'while :; do :; done'; sleep 0.5; done";
        Process neighbour =
                new ProcessBuilder(List.of("taskset", "-c", "0", "sh", "-c", loop)).start();
        command("taskset", "-a", "-c", "-p", "0", self);
        command("sh", "-c", "renice -n 19 -p $(ls /proc/" + self + "/task)");
        return neighbour;
    }

    public static void main(String... args) throws IOException, InterruptedException {
        double seconds = Load.seconds(args);
        StarvedWorker worker = new StarvedWorker();
        Process neighbour = starve(seconds);
        Random random = new Random(1);
        Load.at(BLOCKS_A_SECOND, args, number -> hash += worker.store(number, random));
        neighbour.destroy();
        System.out.println("hash " + hash);
    }
}
