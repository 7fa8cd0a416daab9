// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;

/**
 * What each tool really does when it is asked to sample every 4, 64 and 512 KiB: the bytes between
 * two samples (0: it does not say), and what its output holds afterwards (samples, events, live
 * objects, or the bytes of its file).
 */
final class PeersFigures {

    private static final List<Tool.Kind> KINDS =
            List.of(
                    Tool.Kind.EMPTY,
                    Tool.Kind.MINIMAL,
                    Tool.Kind.ASYNC_ALLOC,
                    Tool.Kind.ASYNC_LIVE,
                    Tool.Kind.DDPROF_LIVE,
                    Tool.Kind.JFR_ALLOC,
                    Tool.Kind.JFR_OLD,
                    Tool.Kind.OURS);

    private PeersFigures() {}

    public static void main(String[] arguments) {
        for (Tool.Kind kind : KINDS.stream().filter(Tool.Kind::isUsable).toList()) {
            for (int kibibytes : new int[] {4, 64, 512}) {
                Fork fork =
                        Fork.run(
                                PeersFork.class,
                                List.of("-Xmx512m"),
                                kind.label(),
                                kibibytes * 1024);
                String name = "peer_" + kind.label() + "_" + kibibytes + "k_";
                Report.say(name + "bytes_per_sample", fork.get("bytes_per_sample"));
                Report.say(name + "found", fork.get("found"));
            }
        }
    }
}
