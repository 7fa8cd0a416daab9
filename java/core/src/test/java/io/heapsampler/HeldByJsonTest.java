// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.holders.HeldAddition;
import io.heapsampler.internal.shared.HeldByJson;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The JSON of an answer, as a whole. */
class HeldByJsonTest {

    @Test
    void theJsonHasTheTreeWithItsFigures() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 2);
        shot.held
                .dominators()
                .path(0, "static com.acme.Shop.open -> com.acme.A !", "com.acme.A.b -> byte[] ~")
                .unresolved(1, 1);
        HeldAddition addition = new HeldAddition(2, "class byte[]", Map.of());

        HeldBy answer = shot.snapshot(addition).heldBy().orElseThrow();

        String amount =
                "{'samples':1,'bytes':{'value':1000,'error':0,'low':1000,'high':1000},"
                        + "'objects':{'value':1,'error':0,'low':1,'high':1}}";
        String expected =
                "{'schema':'urn:heapsampler:heldby:1','takenAt':'1970-01-01T00:00:00Z',"
                        + "'way':'CHILD','longestPauseMicros':42000,'timeMicros':1200000,"
                        + "'total':{'samples':2,'bytes':{'value':2000,'error':0,'low':2000,"
                        + "'high':2000},'objects':{'value':2,'error':0,'low':2,'high':2}},"
                        + "'unresolved':{'PAUSE':"
                        + amount
                        + "},'notes':[{'id':'holders-unresolved-pause','text':'50 % of the live"
                        + " bytes have no known holder: a pause would have become too long. Raise"
                        + " maxPause().'}],'holders':[{'root':'STATIC_FIELD','text':'static field"
                        + " com.acme.Shop.open','steps':['com.acme.Shop.open'],"
                        + "'held':"
                        + amount
                        + ",'exclusive':"
                        + amount
                        + ",'children':[{'text':'com.acme.A.b (soft reference)',"
                        + "'steps':['com.acme.A.b'],'soft':true,'suspect':true,'held':"
                        + amount
                        + ",'exclusive':{'samples':0,'bytes':{'value':0,'error':0,'low':0,'high':0},"
                        + "'objects':{'value':0,'error':0,'low':0,'high':0}},'children':[{'text':'byte[]"
                        + " allocated at com.acme.Shop.fill(Source.java:12)','class':'byte[]',"
                        + "'stack':['com.acme.Shop.fill(Source.java:12)'],'soft':true,'held':"
                        + amount
                        + ",'exclusive':"
                        + amount
                        + "}]}]}]}";
        assertThat(HeldByJson.of(answer)).isEqualTo(expected.replace('\'', '"') + "\n");
    }

    /** The JVM puts addresses into names of hidden classes. */
    @Test
    void noOutputHasAnAddress() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 1);
        shot.held.path(
                0,
                "root 5 0 -> com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000",
                "com.acme.Shop$$Lambda$14/0x00007f1c4c0b1000.arg$1 -> com.acme.Hidden/0x0000A800",
                "com.acme.Hidden/0x0000A800.x -> com.acme.Hidden.0x0000a800[]",
                "[] -> jdk.proxy2.$Proxy31",
                "jdk.proxy2.$Proxy31.y -> byte[]");

        HeldBy answer = shot.heldBy();

        assertThat(HeldByJson.of(answer) + answer.toText(30))
                .contains("global reference of native code to com.acme.Shop$$Lambda")
                .contains("captured by a lambda of com.acme.Shop")
                .contains("com.acme.Hidden.x")
                .contains("element of com.acme.Hidden[]")
                .contains("jdk.proxy.$Proxy.y")
                .doesNotContain("0x", "0000A800", "0000a800", "$14", "31");
    }
}
