// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.github.luben.zstd.ZstdCompressCtx;
import java.util.ArrayList;
import java.util.List;

/** Keeps a context of zstd open for each connection. Arguments: seconds, connections per second. */
final class ZstdLeak {

    private static final List<ZstdCompressCtx> OPEN = new ArrayList<>();

    private ZstdLeak() {}

    public static void main(String... args) {
        byte[] message = Garbage.text(60_000).getBytes();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(500);
                            Garbage.sink = connect().compress(message);
                        });
        System.out.println("contexts: " + OPEN.size());
    }

    private static ZstdCompressCtx connect() {
        ZstdCompressCtx context = new ZstdCompressCtx();
        OPEN.add(context);
        return context;
    }
}
