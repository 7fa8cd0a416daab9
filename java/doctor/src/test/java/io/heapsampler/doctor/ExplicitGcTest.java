// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.value;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each condition of explicit collections, with all the others met. */
class ExplicitGcTest {

    private static Story calls(int count, int secondsApart, double millis) {
        Story story = Story.g1();
        for (int i = 0; i < count; i++) {
            story.seconds(secondsApart, MB).full(millis, 10 * MB, "System.gc()");
        }
        return story.seconds(4, MB);
    }

    private static Severity found(Story story) {
        return severity(story.judged(), "gc.explicit");
    }

    @Test
    void tenInAMinuteHarmHoweverShortTheyAre() {
        assertThat(found(calls(10, 5, 0))).isEqualTo(Severity.WARNING);
        assertThat(found(calls(9, 5, 0))).isEqualTo(Severity.INFO);
    }

    @Test
    void fewerHarmIfTheyTakeMoreThanTheServiceAllows() {
        assertThat(found(calls(3, 5, 100))).isEqualTo(Severity.WARNING);
        assertThat(found(calls(3, 5, 50))).isEqualTo(Severity.INFO);
        assertThat(found(calls(3, 40, 2000))).isEqualTo(Severity.INFO);
    }

    @Test
    void theEvidenceContainsZeroCallsIfTheCallerIsUnknown() {
        Finding finding = calls(3, 5, 100).judged().finding("gc.explicit").orElseThrow();

        assertThat(value(finding, "explicit.caller")).isZero();
        assertThat(finding.advice().text()).startsWith("Remove the call. ");
        assertThat(finding.evidence()).extracting(Evidence::name).doesNotContain("explicit.rmi");
    }

    @Test
    void callsOfRmiAreCountedSeparately() {
        Story story = Story.g1();
        for (int i = 0; i < 5; i++) {
            String caller = i < 3 ? "shop.Batch.end:12" : "sun.rmi.transport.GC$Daemon.run:126";
            story.second(MB).event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", caller);
            story.full(100, 10 * MB, "System.gc()");
        }
        Finding finding = story.judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.title()).isEqualTo("System.gc() was called 5 times");
        assertThat(value(finding, "explicit.rmi")).isEqualTo(2);
        assertThat(value(finding, "explicit.caller")).isEqualTo(3);
    }

    @Test
    void callsOfRmiThatWereSeenRaiseTheFinding() {
        Story story = Story.g1();
        for (int i = 0; i < 5; i++) {
            story.second(MB).event("SystemGC", 0, Map.of(), "sun.rmi.transport.GC$Daemon.run:126");
            story.full(100, 10 * MB, "System.gc()");
        }
        assertThat(found(story.second(MB))).isEqualTo(Severity.WARNING);
        Finding finding = story.judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.callers())
                .singleElement()
                .matches(each -> each.stack().get(0).startsWith("sun.rmi.transport.GC$Daemon"));
        assertThat(finding.title()).isEqualTo("RMI called System.gc() 5 times");
        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .contains("5 calls are of RMI; its interval is sun.rmi.dgc.server.gcInterval.");
        assertThat(finding.evidence()).extracting(Evidence::name).doesNotContain("explicit.caller");
        assertThat(finding.advice().text()).contains("-Dsun.rmi.dgc.server.gcInterval");
    }

    @Test
    void aCallInARemoteMethodIsNotOfRmi() {
        Story story = Story.g1();
        for (int i = 0; i < 5; i++) {
            String rmi = "sun.rmi.transport.Transport.serviceCall:196";
            story.second(MB).event("SystemGC", 0, Map.of(), "shop.Remote.clean:5", rmi);
            story.full(100, 10 * MB, "System.gc()");
        }
        Finding finding = story.second(MB).judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.title()).isEqualTo("System.gc() was called 5 times");
        assertThat(value(finding, "explicit.caller")).isEqualTo(5);
    }

    @Test
    void callersThatAllocateDirectBuffersAreNamed() {
        Story story = Story.g1();
        for (int i = 0; i < 5; i++) {
            String[] stack = {
                "java.lang.System.gc:1907", "java.nio.Bits.reserveMemory:170", "shop.Pool.grow:7"
            };
            story.second(MB).event("SystemGC", 0, Map.of(), stack).full(10, 10 * MB, "System.gc()");
        }
        Finding finding = story.second(MB).judged().finding("direct.pressure").orElseThrow();

        assertThat(finding.callers()).singleElement().matches(each -> each.count() == 5);
        assertThat(finding.callers().get(0).stack()).endsWith("shop.Pool.grow:7");
    }

    @Test
    void theTextSaysHowToLearnTheCaller() {
        Finding finding = calls(3, 5, 100).judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.contains("if it is loaded before the first call"));
    }

    /** The first frame that is not the JDK's, where there is one. */
    @Test
    void theCallerIsTheFirstFrameOutsideTheJdk() {
        Story story = Story.g1();
        for (int i = 0; i < 4; i++) {
            String[] stack = {
                "java.lang.System.gc:1907",
                i < 3 ? "sun.management.MemoryImpl.gc:95" : "java.lang.Thread.run:840",
                i < 3 ? "jdk.internal.reflect.Direct.invoke:12" : "java.lang.Thread.runWith:8",
                i < 3 ? "shop.Gauge.read:7" : "java.lang.Thread.last:9"
            };
            story.second(MB)
                    .event("SystemGC", 0, Map.of(), stack)
                    .full(100, 10 * MB, "System.gc()");
        }
        Finding finding = story.second(MB).judged().finding("gc.explicit").orElseThrow();

        assertThat(finding.evidence())
                .extracting(Evidence::text)
                .contains("Called from shop.Gauge.read:7.");
        assertThat(finding.callers()).hasSize(2);
        assertThat(finding.callers().get(0).stack()).hasSize(3);
    }

    /** The engine keeps the last 64 calls until they are read. */
    @Test
    void callsThatWereNotSeenAreSharedOutAsThoseThatWere() {
        Story story = Story.g1();
        for (int i = 0; i < 40; i++) {
            story.second(MB);
            if (i % 4 == 0) {
                String caller = i % 8 == 0 ? "shop.Batch.end:12" : "java.nio.Bits.reserveMemory:1";
                story.event("SystemGC", 0, Map.of(), caller);
            }
            story.full(20, 10 * MB, "System.gc()");
        }
        Finding finding = story.second(MB).judged().finding("gc.explicit").orElseThrow();

        assertThat(value(finding, "explicit.count")).isEqualTo(20);
    }

    @Test
    void whereDirectMemoryIsFullUnknownCallsAreTheJdksOwnUnlessSomeoneElseIsKnown() {
        Story full = Story.g1();
        full.maxDirect = 64 * MB;
        full.direct = 33 * MB;
        Story known = Story.g1();
        known.maxDirect = 64 * MB;
        known.direct = 33 * MB;
        Story half = Story.g1();
        half.maxDirect = 64 * MB;
        half.direct = 32 * MB;
        known.second(MB).event("SystemGC", 0, Map.of(), "shop.Batch.end:12");
        for (int i = 0; i < 3; i++) {
            for (Story story : new Story[] {full, known, half}) {
                story.direct -= i == 2 ? 8 * MB : 0;
                story.second(MB).full(100, 10 * MB, "System.gc()");
            }
        }
        assertThat(found(full.second(MB))).isNull();
        assertThat(why(full.judged(), "gc.explicit")).contains("3 were the JDK's own");
        assertThat(found(known.second(MB))).isEqualTo(Severity.WARNING);
        assertThat(found(half.second(MB))).isEqualTo(Severity.WARNING);
    }

    /** Nine calls for direct memory and three others are three calls. */
    @Test
    void theJdksOwnCallsAreNotCountedInTheWorstMinute() {
        Story story = Story.g1();
        for (int i = 0; i < 12; i++) {
            String caller = i % 4 == 0 ? "shop.Batch.end:12" : "java.nio.Bits.reserveMemory:1";
            story.second(MB).event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", caller);
            story.full(i % 4 == 0 ? 5 : 200, 10 * MB, "System.gc()");
        }
        Finding finding = story.second(MB).judged().finding("gc.explicit").orElseThrow();

        assertThat(value(finding, "explicit.count")).isEqualTo(3);
        assertThat(finding.evidence().get(0).text()).startsWith("3 calls in the worst minute");
        assertThat(finding.severity()).isEqualTo(Severity.INFO);
    }

    /** A pool that has most of the limit, and neither grows nor is given back. */
    @Test
    void besideAPoolThatStaysAsItIsUnknownCallsAreNotTheJdksOwn() {
        Story story = Story.g1();
        story.direct = 160 * MB;
        for (int i = 0; i < 12; i++) {
            story.seconds(3, MB).full(100, 10 * MB, "System.gc()");
        }
        assertThat(found(story.second(MB))).isEqualTo(Severity.WARNING);
    }
}
