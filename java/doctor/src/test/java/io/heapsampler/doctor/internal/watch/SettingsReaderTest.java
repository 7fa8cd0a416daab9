// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsReaderTest {

    private static final Map<GarbageCollector, String> FLAGS =
            Map.of(
                    GarbageCollector.SERIAL, "UseSerialGC",
                    GarbageCollector.PARALLEL, "UseParallelGC",
                    GarbageCollector.G1, "UseG1GC",
                    GarbageCollector.Z, "UseZGC",
                    GarbageCollector.Z_GENERATIONAL, "UseZGC",
                    GarbageCollector.SHENANDOAH, "UseShenandoahGC",
                    GarbageCollector.SHENANDOAH_GENERATIONAL, "UseShenandoahGC",
                    GarbageCollector.EPSILON, "UseEpsilonGC");

    private final JvmSettings settings = SettingsReader.read(HeapSampler.status().collector());

    /** T6: the JVM chooses its collector by the machine; the settings contain the choice. */
    @Test
    void theCollectorIsTheOneThatRuns() {
        String flag = FLAGS.get(settings.collector());

        assertThat(flag).as("%s", settings.collector()).isNotNull();
        if (settings.flags().containsKey(flag)) {
            assertThat(settings.isOn(flag)).isTrue();
        }
    }

    @Test
    void sizesAreThoseOfThisJvm() {
        assertThat(settings.feature()).isEqualTo(Runtime.version().feature());
        assertThat(settings.maxHeap()).isGreaterThanOrEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(settings.initialHeap()).isBetween(1L, settings.maxHeap());
        assertThat(settings.maxDirect()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(settings.maxMetaspace()).isEqualTo(Long.MAX_VALUE);
        assertThat(settings.regionSize() > 0)
                .isEqualTo(settings.collector() == GarbageCollector.G1);
        assertThat(settings.flags()).containsKeys("MaxTenuringThreshold", "MetaspaceSize");
        assertThat(settings.isOn("DisableExplicitGC")).isFalse();
        assertThat(settings.isOn("NoSuchFlag")).isFalse();
    }

    @Test
    void flagsAreFoundAmongArguments() {
        assertThat(SettingsReader.flagName("-XX:+UseG1GC")).isEqualTo("UseG1GC");
        assertThat(SettingsReader.flagName("-XX:-UseG1GC")).isEqualTo("UseG1GC");
        assertThat(SettingsReader.flagName("-XX:MaxNewSize=12m")).isEqualTo("MaxNewSize");
        assertThat(SettingsReader.flagName("-Xmx1g")).isNull();
        assertThat(SettingsReader.flagName("-Dpassword=-XX:+x")).isNull();
        assertThat(SettingsReader.flagName("-XX:odd")).isNull();
    }

    /** Timelines are stored and sent: no path and no command may be in them. */
    @Test
    void textsAreNotRepeated() {
        assertThat(SettingsReader.harmless("true")).isEqualTo("true");
        assertThat(SettingsReader.harmless("-1")).isEqualTo("-1");
        assertThat(SettingsReader.harmless("0.5")).isEqualTo("0.5");
        assertThat(SettingsReader.harmless("mail -s secret root")).isEqualTo("set");
        assertThat(SettingsReader.harmless("")).isEqualTo("set");
    }
}
