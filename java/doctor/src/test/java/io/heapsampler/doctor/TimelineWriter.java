// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.io.IOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the lines of a timeline. The first word says what a line is:
 *
 * <pre>
 * heapsampler-timeline 2            the format
 * settings feature collector sizes
 * complete millis
 * s text                            a text, from now on called by its number: 0, 1, …
 * flag name value                   numbers of texts
 * t …  c …  e …                     tick, collection, event
 * </pre>
 */
public final class TimelineWriter {

    static final String HEADER = "heapsampler-timeline 2";

    /** Times of events are kept to the microsecond. */
    static final double MICROS = 1000;

    private final Writer out;
    private final Map<String, Integer> texts = new HashMap<>();
    private final long[] lastTick = new long[Tick.FIELDS];
    private final long[] lastCollection = new long[10];
    private long lastEvent;

    public TimelineWriter(Writer out) {
        this.out = out;
    }

    public void write(Timeline timeline) throws IOException {
        line(HEADER);
        settings(timeline.settings());
        line("complete " + timeline.completeFromMillis());
        for (Map.Entry<String, String> flag :
                new TreeMap<>(timeline.settings().flags()).entrySet()) {
            line("flag " + text(flag.getKey()) + ' ' + text(flag.getValue()));
        }
        for (Tick tick : timeline.ticks()) {
            tick(tick);
        }
        for (GcEvent collection : timeline.collections()) {
            collection(collection);
        }
        for (JvmEvent event : timeline.events()) {
            event(event);
        }
    }

    private void settings(JvmSettings settings) throws IOException {
        line(
                String.format(
                        Locale.ROOT,
                        "settings %d %s %d %d %d %d %d %d",
                        settings.feature(),
                        settings.collector().name(),
                        settings.maxHeap(),
                        settings.initialHeap(),
                        settings.maxYoung(),
                        settings.regionSize(),
                        settings.maxMetaspace(),
                        settings.maxDirect()));
    }

    private void tick(Tick tick) throws IOException {
        line("t" + differences(Samples.row(tick), lastTick));
    }

    private void collection(GcEvent it) throws IOException {
        String names = " " + text(it.bean()) + ' ' + text(it.action()) + ' ' + text(it.cause());
        long[] now = {
            it.atMillis(),
            micros(it.durationMillis()),
            it.heapBefore(),
            it.heapAfter(),
            it.heapCommitted(),
            it.youngAfter(),
            it.oldBefore(),
            it.oldAfter(),
            0, // Of older files: metaspace before it.
            it.metaspaceAfter()
        };
        line("c " + it.kind() + names + differences(now, lastCollection));
    }

    private void event(JvmEvent event) throws IOException {
        StringBuilder all = new StringBuilder();
        all.append(text(event.type())).append(' ').append(event.atMillis() - lastEvent);
        lastEvent = event.atMillis();
        all.append(' ').append(micros(event.durationMillis()));
        all.append(' ').append(event.values().size());
        for (Map.Entry<String, String> value : new TreeMap<>(event.values()).entrySet()) {
            all.append(' ').append(text(value.getKey())).append(' ').append(text(value.getValue()));
        }
        for (String frame : event.stack()) {
            all.append(' ').append(text(frame));
        }
        line("e " + all);
    }

    private static String differences(long[] now, long[] last) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < now.length; i++) {
            all.append(' ').append(now[i] - last[i]);
            last[i] = now[i];
        }
        return all.toString();
    }

    static long micros(double millis) {
        return Math.round(millis * MICROS);
    }

    /** Returns the number of a text, which it defines first if it is new. */
    private int text(String text) throws IOException {
        Integer known = texts.get(text);
        if (known != null) {
            return known;
        }
        int number = texts.size();
        texts.put(text, number);
        line("s " + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"));
        return number;
    }

    private void line(String text) throws IOException {
        out.write(text);
        out.write('\n');
    }
}
