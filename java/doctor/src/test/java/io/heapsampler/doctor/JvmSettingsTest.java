// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JvmSettingsTest {

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

    private final JvmSettings settings = JvmSettings.read(HeapSampler.status().collector());

    /** T6: the JVM chooses its collector by the machine; the settings contain the choice. */
    @Test
    void theCollectorIsTheOneThatRuns() {
        String flag = FLAGS.get(settings.collector());

        HotSpotDiagnosticMXBean vm =
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        assertThat(flag).as("%s", settings.collector()).isNotNull();
        assertThat(vm.getVMOption(flag).getValue()).isEqualTo("true");
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
        assertThat(settings.flags()).containsKeys("MaxTenuringThreshold", "AlwaysPreTouch");
        assertThat(settings.isOn("DisableExplicitGC")).isFalse();
        assertThat(settings.isOn("NoSuchFlag")).isFalse();
    }
}
