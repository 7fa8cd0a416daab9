// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.List;
import java.util.stream.Stream;

/**
 * Every program, with the expected findings. The expectations follow from what the programs do, as
 * their GC logs and counters show it, and not from what the doctor reports.
 */
final class Table {

    private static final int LEAK_SECONDS = 60;

    private Table() {}

    static List<Row> rows() {
        return Stream.of(
                        leaks(),
                        heap(),
                        classes(),
                        outside(),
                        healthyHeap(),
                        healthyOther(),
                        MoreRows.rows())
                .flatMap(List::stream)
                .toList();
    }

    /** The heap is about 90 % full at the end, or exhausted shortly before. */
    private static List<Row> leaks() {
        return Stream.of(
                        Row.leak("sessionleak", "SessionLeak", "1150", "leak")
                                .flags("-Xmx192m")
                                .site("programs\\.SessionLeak\\.login")
                                .on("17-parallel", "17-g1", "25-g1", "25-zgc"),
                        Row.leak("sessionleak-roomy", "SessionLeak", "2200", "leak")
                                .flags("-Xmx384m")
                                .site("programs\\.SessionLeak\\.login")
                                .on("17-parallel"),
                        Row.leak("meterleak", "MeterLeak", "5000")
                                .flags("-Xmx192m")
                                .site("programs\\.MeterLeak\\.handle")
                                .on("17-g1", "25-zgc"),
                        Row.leak("meterleak-roomy", "MeterLeak", "12000")
                                .flags("-Xmx512m")
                                .site("programs\\.MeterLeak\\.handle")
                                .on("17-g1"),
                        Row.leak("poollocals", "PoolLocals", "750")
                                .flags("-Xmx160m")
                                .site("programs\\.PoolLocals")
                                .on("17-parallel", "17-serial", "25-g1"),
                        Row.leak("rxleak", "RxLeak", "125", "keep")
                                .flags("-Xmx192m")
                                .site("programs\\.RxLeak\\.subscribe")
                                .on("17-g1", "21-g1"),
                        Row.leak("listener", "ListenerLeak", "110")
                                .flags("-Xmx160m")
                                .site("programs\\.ListenerLeak")
                                .on("25-g1", "17-parallel"),
                        Row.leak("concat", "ConcatLeak", "1900")
                                .flags("-Xmx192m")
                                .site("programs\\.ConcatLeak\\.audit")
                                .on("17-g1", "21-parallel"),
                        Row.leak("finaltemplates", "FinalTemplates", "120", "100")
                                .flags("-Xmx160m")
                                .site("programs\\.FinalTemplates\\.render")
                                .on("17-g1"),
                        Row.leak("springsessions", "SpringSessions", "60")
                                .flags("-Xmx160m")
                                .site("programs\\.SpringSessions\\$SessionStore\\.open")
                                .on("17-g1", "25-g1", "17-parallel"))
                .map(row -> row.seconds(LEAK_SECONDS))
                .toList();
    }

    private static List<Row> heap() {
        return List.of(
                Row.faulty("pdfyoung", "PdfText", "4", "80", "200")
                        .flags("-Xmx512m", "-Xmn8m")
                        .finding("promotion.premature")
                        .tolerating("old.frequent", "pause.long")
                        .site("programs\\.PdfText\\.text")
                        .on("17-parallel", "17-g1"),
                Row.faulty("caffeine-old", "CaffeineCache", "20500", "41000", "3000")
                        .flags("-Xmx256m")
                        .finding("old.frequent")
                        .tolerating("gc.evacuation-failure", "gc.degenerated", "pause.long")
                        .tolerating("promotion.premature")
                        .site("programs\\.CaffeineCache\\$Profiles\\.load")
                        .on("17-parallel"),
                // 219 of 256 MiB live: with 187 its collections took 0.1 % of the time.
                Row.faulty("caffeine-tight", "CaffeineCache", "24000", "48000", "3000")
                        .flags("-Xmx256m")
                        .finding("old.frequent")
                        .tolerating("gc.evacuation-failure", "gc.degenerated", "pause.long")
                        .tolerating("promotion.premature")
                        .site("programs\\.CaffeineCache\\$Profiles\\.load")
                        .on("25-g1"),
                Row.faulty("libgc", "LibGc", "2")
                        .flags("-Xmx256m")
                        .finding("gc.explicit")
                        .tolerating("pause.long")
                        .site("programs\\.LibGc\\.release")
                        .on("17-parallel", "25-g1"),
                // The collections cost little: information is enough.
                Row.faulty("rmigc", "RmiGc", "32")
                        .seconds(60)
                        .flags(
                                "-Xmx256m",
                                "-Dsun.rmi.dgc.server.gcInterval=4000",
                                "-Dsun.rmi.dgc.client.gcInterval=4000")
                        .finding("gc.explicit")
                        .infoIsEnough()
                        .tolerating("pause.long")
                        .site("sun\\.rmi\\.transport")
                        .on("17-g1"),
                Row.faulty("weakpeople", "WeakPeople", "1500000", "6000000")
                        .seconds(60)
                        .flags("-Xms2g", "-Xmx2g", "-Xmn1200m")
                        .finding("pause.long")
                        .tolerating("promotion.premature", "old.frequent")
                        .on("17-parallel", "17-g1"),
                Row.faulty("pdfrender", "PdfRender", "4", "95")
                        .flags("-Xmx256m", "-Djava.awt.headless=true")
                        .finding("gc.humongous")
                        .tolerating("gc.evacuation-failure", "gc.degenerated", "pause.long")
                        .tolerating("old.frequent")
                        .site("programs\\.PdfRender\\.render")
                        .on("17-g1"),
                // Softly held pictures fill the heap, and are no leak.
                Row.faulty("softimages", "SoftImages", "5", "200")
                        .flags("-Xmx128m")
                        .finding("gc.humongous")
                        .tolerating("gc.evacuation-failure", "gc.degenerated", "pause.long")
                        .tolerating("old.frequent")
                        .site("programs\\.SoftImages\\.load")
                        .on("17-g1", "25-g1"),
                Row.faulty("zstdcritical", "ZstdCritical", "0.4", "3", "16")
                        .flags("-Xmx256m")
                        .finding("jni.critical")
                        .tolerating("pause.long")
                        .site("com\\.github\\.luben\\.zstd|programs\\.ZstdCritical\\.pack")
                        .on("17-parallel", "17-serial"),
                Row.faulty("resizeindex", "ResizeIndex", "200")
                        .flags("-Xms8m", "-Xmx512m")
                        .finding("heap.resize")
                        .infoIsEnough()
                        .tolerating("gc.humongous") // Its index is an array that is enlarged.
                        .on("17-g1", "17-parallel"));
    }

    private static List<Row> classes() {
        return List.of(
                // Without a limit of metaspace nothing fails soon: information is enough. Its fourth
                // collection is due at about 100 MiB, after 80 s.
                Row.faulty("janino-keep", "JaninoExpr", "150", "keep")
                        .seconds(100)
                        .flags("-Xmx512m")
                        .finding("metaspace.leak")
                        .infoIsEnough()
                        .tolerating("leak.growth")
                        .site("programs\\.JaninoExpr\\.compile")
                        .on("17-parallel", "17-g1"),
                Row.faulty("janino-keep-nmt", "JaninoExpr", "150", "keep")
                        .seconds(100)
                        .flags("-Xmx512m", "-XX:NativeMemoryTracking=summary")
                        .finding("metaspace.leak")
                        .infoIsEnough()
                        .tolerating("leak.growth")
                        .site("programs\\.JaninoExpr\\.compile")
                        .on("17-parallel"),
                // 6.5 KiB for each formula on JDK 25, 8 on 17: full after 60 to 75 s.
                Row.faulty("janino-keep-limit", "JaninoExpr", "150", "keep")
                        .seconds(75)
                        .flags("-Xmx512m", "-XX:MaxMetaspaceSize=80m")
                        .finding("metaspace.leak")
                        .tolerating("leak.growth", "pause.long")
                        .site("programs\\.JaninoExpr\\.compile")
                        .on("17-parallel", "25-g1"),
                // 20 MiB after 8 s, with Groovy and the doctor; 20 KiB for each script: exhausted
                // shortly before the end.
                Row.faulty("groovy-shared", "GroovyScripts", "12", "shared")
                        .seconds(60)
                        .flags("-Xmx512m", "-XX:MaxMetaspaceSize=30m")
                        .finding("metaspace.leak")
                        .tolerating("leak.growth", "pause.long")
                        .site("programs\\.GroovyScripts\\.shared")
                        .on("17-g1"),
                // 15 MiB after 8 s; 40 KiB for each engine: exhausted shortly before the end.
                Row.faulty("tenants-keep", "Tenants", "5", "keep")
                        .seconds(60)
                        .flags("-Xmx512m", "-XX:MaxMetaspaceSize=25m")
                        .finding("metaspace.leak")
                        .tolerating("leak.growth", "pause.long")
                        .site("programs\\.Tenants\\.start")
                        .on("25-g1", "17-g1"));
    }

    private static List<Row> outside() {
        return List.of(
                // The limit is reached about two seconds before the end.
                Row.faulty("niokeep", "NioKeep", "95", "keep")
                        .flags("-Xmx256m", "-XX:MaxDirectMemorySize=256m")
                        .finding("direct.leak")
                        .tolerating("direct.pressure", "gc.explicit")
                        .site("programs\\.NioKeep\\.allocate")
                        .on("17-g1", "25-zgc"),
                // 88 % of the limit at the end.
                Row.faulty("niokeep-roomy", "NioKeep", "160", "keep")
                        .flags("-Xmx512m", "-XX:MaxDirectMemorySize=512m")
                        .finding("direct.leak")
                        .site("programs\\.NioKeep\\.allocate")
                        .on("25-zgc"),
                // On JDK 17: Netty's buffers are those of the JDK there, and counted as such.
                Row.faulty("nettykeep", "NettyKeep", "710", "keep")
                        .flags("-Xmx256m", "-XX:MaxDirectMemorySize=256m")
                        .finding("direct.leak")
                        .tolerating("direct.pressure", "gc.explicit")
                        .site("programs\\.NettyKeep\\.receive")
                        .on("17-g1"),
                Row.faulty("nettykeep-limit", "NettyKeep", "1850", "keep")
                        .flags("-Xmx256m", "-XX:MaxDirectMemorySize=640m")
                        .finding("direct.leak")
                        .tolerating("direct.pressure", "gc.explicit")
                        .site("programs\\.NettyKeep\\.receive")
                        .on("17-g1"),
                Row.faulty("inflateleak", "InflateLeak", "100")
                        .seconds(60)
                        .flags("-Xmx256m")
                        .finding("native.unaccounted")
                        .site("programs\\.InflateLeak\\$Entry\\.<init>")
                        .on("17-g1", "25-parallel"),
                Row.faulty("zstdleak", "ZstdLeak", "8")
                        .seconds(60)
                        .flags("-Xmx256m")
                        .finding("native.unaccounted")
                        .site("programs\\.ZstdLeak\\.connect")
                        .on("17-parallel"),
                Row.faulty("rocksleak", "RocksLeak", "5", "keep")
                        .seconds(60)
                        .flags("-Xmx256m")
                        .finding("native.unaccounted")
                        .site("programs\\.RocksLeak\\.scan")
                        .on("17-g1"));
    }

    private static List<Row> healthyHeap() {
        return List.of(
                Row.healthy("sessionclear", "SessionLeak", "300", "clear")
                        .flags("-Xmx192m")
                        .on("17-g1", "25-g1"),
                Row.healthy("rxleak-dispose", "RxLeak", "100", "dispose")
                        .flags("-Xmx192m")
                        .on("17-g1"),
                Row.healthy("caffeine-roomy", "CaffeineCache", "20000", "40000", "1000")
                        .flags("-Xmx512m")
                        .on("17-g1", "25-g1"),
                // Full after about 40 s.
                Row.healthy("warmcache", "WarmCache", "12000", "300")
                        .seconds(90)
                        .flags("-Xmx256m")
                        .on("17-g1", "17-parallel", "25-zgc"),
                Row.healthy("batches", "Batches", "60")
                        .seconds(60)
                        .flags("-Xmx256m")
                        .on("17-parallel", "17-g1"),
                Row.healthy("roundtrips", "RoundTrips", "300")
                        .flags("-Xmx256m")
                        .on("17-g1", "21-g1"),
                Row.healthy("jsonbodies", "JsonBodies", "10", "1500").flags("-Xmx512m").on("17-g1"),
                Row.healthy("kotlin", "KotlinWords", "200").flags("-Xmx256m").on("17-g1"),
                Row.healthy("h2shop", "H2Shop", "500").flags("-Xmx512m").on("17-g1", "25-g1"),
                Row.healthy("h2shop-whole", "H2Shop", "500")
                        .flags("-Xms512m", "-Xmx512m")
                        .on("17-g1"),
                Row.healthy("reactorflow", "ReactorFlow", "50")
                        .flags("-Xmx256m")
                        .on("17-g1", "25-zgc"),
                Row.healthy("kafkadriver", "KafkaDriver", "20")
                        .flags("-Xmx256m")
                        .on("17-parallel", "25-g1"));
    }

    private static List<Row> healthyOther() {
        return List.of(
                Row.healthy("groovy-cached", "GroovyScripts", "500", "cached")
                        .flags("-Xmx256m")
                        .on("17-g1"),
                Row.healthy("groovy-fresh", "GroovyScripts", "8", "fresh")
                        .flags("-Xmx256m")
                        .on("17-g1"),
                Row.healthy("janino-churn", "JaninoExpr", "100", "drop")
                        .flags("-Xmx256m")
                        .on("25-g1", "17-parallel"),
                Row.healthy("tenants-churn", "Tenants", "4", "drop").flags("-Xmx512m").on("17-g1"),
                Row.healthy("nioreuse", "NioKeep", "95", "reuse")
                        .flags("-Xmx256m", "-XX:MaxDirectMemorySize=256m")
                        .on("17-g1"),
                Row.healthy("nettypool", "NettyKeep", "2000", "release")
                        .flags("-Xmx256m")
                        .on("25-g1"),
                Row.healthy("nettyecho", "NettyEcho", "1000")
                        .flags("-Xmx256m")
                        .on("25-zgc", "17-g1"),
                Row.healthy("loomserver", "LoomServer", "100")
                        .flags("-Xmx512m")
                        .on("25-zgc", "21-g1"),
                Row.healthy("rocks-closed", "RocksLeak", "5", "close")
                        .flags("-Xmx256m")
                        .on("17-g1", "17-parallel"),
                Row.healthy("lucenemap", "LuceneMap", "2").flags("-Xmx256m").on("25-g1", "17-g1"),
                Row.healthy("manythreads", "ManyThreads", "400").flags("-Xmx256m").on("17-g1"),
                Row.healthy("springidle", "SpringShop", "0").flags("-Xmx256m").on("25-g1", "17-g1"),
                Row.healthy("springshop", "SpringShop", "50")
                        .flags("-Xmx256m")
                        .on("17-g1", "25-g1", "17-parallel"),
                Row.healthy("slowstart", "SlowStart", "50", "3")
                        .seconds(75)
                        .flags("-Xmx256m")
                        .on("17-g1", "25-g1", "17-parallel"),
                Row.healthy("slowstart-roomy", "SlowStart", "50", "3")
                        .seconds(75)
                        .flags("-Xmx1g")
                        .on("17-g1"));
    }
}
