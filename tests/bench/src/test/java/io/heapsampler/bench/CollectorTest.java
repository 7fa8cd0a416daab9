// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorTest {

    @ParameterizedTest
    @CsvSource({
        "17, Z, -XX:+UseZGC",
        "17, Z_GENERATIONAL, ''",
        "17, SHENANDOAH_GENERATIONAL, ''",
        "21, Z, -XX:+UseZGC -XX:-ZGenerational",
        "21, Z_GENERATIONAL, -XX:+UseZGC -XX:+ZGenerational",
        "21, SHENANDOAH_GENERATIONAL, ''",
        "25, Z, ''",
        "25, Z_GENERATIONAL, -XX:+UseZGC",
        "25, SHENANDOAH, -XX:+UseShenandoahGC",
        "25, SHENANDOAH_GENERATIONAL, -XX:+UseShenandoahGC"
                + " -XX:+UnlockExperimentalVMOptions -XX:ShenandoahGCMode=generational",
    })
    void eachVersionHasItsKinds(int version, Collector collector, String flags) {
        assertThat(String.join(" ", collector.flags(version))).isEqualTo(flags);
    }

    @Test
    void isFoundByAnyWayToWriteIt() {
        assertThat(Collector.of("Serial")).isEqualTo(Collector.SERIAL);
        assertThat(Collector.of("ZGenerational")).isEqualTo(Collector.Z_GENERATIONAL);
        assertThat(Collector.of("z_generational")).isEqualTo(Collector.Z_GENERATIONAL);
        assertThatThrownBy(() -> Collector.of("CMS")).hasMessage("no collector: CMS");
    }

    @Test
    void stopsOfACollectionAreNotCountedAsCollections() {
        assertThat(Collector.countsCollections("ZGC Minor Cycles")).isTrue();
        assertThat(Collector.countsCollections("ZGC Minor Pauses")).isFalse();
        assertThat(Collector.countsCollections("Shenandoah Pauses")).isFalse();
        assertThat(Collector.countsCollections("G1 Young Generation")).isTrue();
    }

    @Test
    void collectionsOfThisJvmCount() {
        long before = Collector.collections();
        System.gc();
        assertThat(Collector.collections()).isGreaterThan(before);
    }
}
