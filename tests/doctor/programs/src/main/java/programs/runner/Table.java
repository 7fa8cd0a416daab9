// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.List;
import java.util.stream.Stream;

/** Every program, with what is expected of the doctor. */
final class Table {

    private static final String[] HEALTHY_CELLS = {"17-g1", "25-g1"};

    private Table() {}

    static List<Row> rows() {
        return Stream.of(leaks(), faults(), healthy()).flatMap(List::stream).toList();
    }

    private static List<Row> leaks() {
        return List.of(
                Row.leak("sessionleak", "SessionLeak", "1000", "leak")
                        .seconds(60)
                        .flags("-Xmx192m")
                        .site("programs\\.SessionLeak\\.login")
                        .on("17-parallel", "25-g1"),
                Row.leak("meterleak", "MeterLeak", "1500")
                        .seconds(60)
                        .flags("-Xmx192m")
                        .site("programs\\.MeterLeak\\.handle")
                        .on("17-g1", "25-zgc"),
                Row.leak("poollocals", "PoolLocals", "500")
                        .seconds(60)
                        .flags("-Xmx160m")
                        .site("programs\\.PoolLocals")
                        .on("17-parallel"),
                Row.leak("rxleak", "RxLeak", "100", "keep")
                        .seconds(60)
                        .flags("-Xmx192m")
                        .site("programs\\.RxLeak\\.subscribe")
                        .on("17-g1"),
                Row.leak("listener", "ListenerLeak", "100")
                        .seconds(60)
                        .flags("-Xmx160m")
                        .site("programs\\.ListenerLeak")
                        .on("25-g1"),
                Row.leak("concat", "ConcatLeak", "1500")
                        .seconds(60)
                        .flags("-Xmx192m")
                        .site("programs\\.ConcatLeak\\.audit")
                        .on("17-g1"));
    }

    private static List<Row> faults() {
        return List.of(
                Row.sick("caffeine-old", "CaffeineCache", "20000", "40000", "2000")
                        .flags("-Xmx256m")
                        .finding("old.frequent")
                        .tolerating("gc.evacuation-failure", "gc.degenerated", "pause.long")
                        .tolerating("promotion.premature")
                        .site("programs\\.CaffeineCache\\$Profiles\\.load")
                        .on("17-parallel", "25-g1"),
                Row.sick("libgc", "LibGc", "2")
                        .flags("-Xmx256m")
                        .finding("gc.explicit")
                        .site("programs\\.LibGc\\.release")
                        .on("17-parallel"));
    }

    private static List<Row> healthy() {
        return List.of(
                Row.healthy("sessionclear", "SessionLeak", "300", "clear")
                        .flags("-Xmx192m")
                        .on("17-g1"),
                Row.healthy("rxleak-dispose", "RxLeak", "100", "dispose")
                        .flags("-Xmx192m")
                        .on("17-g1"),
                Row.healthy("caffeine-roomy", "CaffeineCache", "20000", "40000", "1000")
                        .flags("-Xmx512m")
                        .on(HEALTHY_CELLS),
                Row.healthy("roundtrips", "RoundTrips", "300").flags("-Xmx256m").on("17-g1"),
                Row.healthy("batches", "Batches", "60").flags("-Xmx256m").on("17-parallel"));
    }
}
