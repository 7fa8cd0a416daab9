// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The named figures that a {@link TableRule} has found, for its sentences, and its result: a
 * finding, or the reason why there is none. For one thread.
 */
final class Facts {

    /** The share of the problem that the sites explain. */
    static final String EXPLAINED = "sites.explained";

    private record Fact(double value, String unit, String text) {}

    private final Map<String, Fact> facts = new HashMap<>();
    private final List<TableRule.Line> lines;

    /** Null if the rule does not fire. */
    @Nullable Severity severity;

    @Nullable Finding finding;
    @Nullable Check check;

    List<SiteEvidence> sites = List.of();
    List<CallerEvidence> callers = List.of();

    /** The time of the finding; by itself all that counts. */
    long from;

    long to;

    Facts(Situation s, List<TableRule.Line> lines) {
        this.lines = lines;
        this.from = s.from();
        this.to = s.to();
        text("collector", s.collectorText());
    }

    Facts put(String name, double value, String unit, String text) {
        facts.put(name, new Fact(value, unit, text));
        return this;
    }

    Facts count(String name, long value) {
        return put(name, (double) value, "count", Text.number((double) value));
    }

    Facts bytes(String name, long value) {
        return bytes(name, (double) value);
    }

    Facts bytes(String name, double value) {
        return put(name, value, "bytes", Text.bytes(value));
    }

    Facts millis(String name, double value) {
        return put(name, value, "ms", Text.millis(value));
    }

    /** A time for which something lasted, such as 7 min. */
    Facts span(String name, double millis) {
        return put(name, millis, "ms", Text.span(millis));
    }

    Facts share(String name, double value) {
        return put(name, value, "share", Text.share(value));
    }

    Facts text(String name, String text) {
        return put(name, text.isEmpty() ? 0 : 1, "count", text);
    }

    Facts is(String name, boolean value) {
        return put(name, value ? 1 : 0, "count", "");
    }

    boolean has(String name) {
        Fact fact = facts.get(name);
        return fact != null && fact.value() != 0;
    }

    /** The rule fires if this is so, as a warning or as information. */
    boolean fires(boolean isFound, boolean isHarm) {
        severity = !isFound ? null : isHarm ? Severity.WARNING : Severity.INFO;
        return isFound;
    }

    Facts window(long fromMillis, long toMillis) {
        from = fromMillis;
        to = toMillis;
        return this;
    }

    /** From the first of these to the end of the last; as it was if there are none. */
    Facts during(List<GcEvent> collections, List<JvmEvent> events) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (GcEvent collection : collections) {
            first = Math.min(first, collection.atMillis());
            last = Math.max(last, collection.endMillis());
        }
        for (JvmEvent event : events) {
            first = Math.min(first, event.atMillis());
            last = Math.max(last, event.atMillis() + (long) Math.ceil(event.durationMillis()));
        }
        return first > last ? this : window(first, last);
    }

    Facts sites(NamedSites found) {
        sites = found.sites();
        Evidence share = found.explained();
        if (share != null) {
            put(EXPLAINED, share.value(), share.unit(), share.text());
        }
        return is("sites.known", !sites.isEmpty());
    }

    Facts callers(List<CallerEvidence> found) {
        callers = found;
        return this;
    }

    /** Adds evidence if the key of a line is a fact. */
    void tell(TableRule.Line line, List<Evidence> evidence) {
        Fact fact = facts.get(line.key());
        if (fact != null && line.holds(this)) {
            String text = in(line.sentence());
            evidence.add(new Evidence(line.key(), fact.value(), fact.unit(), text));
        }
    }

    /** Returns the first sentence with a key that holds; empty if there is none. */
    String first(String key) {
        for (TableRule.Line line : lines) {
            if (line.key().equals(key) && line.holds(this)) {
                return in(line.sentence());
            }
        }
        return "";
    }

    /** Returns the words of all lines with a key that hold. */
    Set<String> words(String key) {
        Set<String> words = new HashSet<>();
        for (TableRule.Line line : lines) {
            if (line.key().equals(key) && line.holds(this)) {
                words.addAll(List.of(line.sentence().split(" ", -1)));
            }
        }
        return words;
    }

    /** Puts the facts into a sentence. */
    String in(String sentence) {
        StringBuilder text = new StringBuilder();
        int done = 0;
        for (int at = sentence.indexOf('{'); at >= 0; at = sentence.indexOf('{', done)) {
            int end = sentence.indexOf('}', at);
            text.append(sentence, done, at).append(value(sentence.substring(at + 1, end)));
            done = end + 1;
        }
        return text.append(sentence, done, sentence.length()).toString();
    }

    private String value(String place) {
        int space = place.indexOf(' ');
        Fact fact = facts.get(space < 0 ? place : place.substring(0, space));
        if (fact == null || space < 0) {
            return fact == null ? first(place) : fact.text();
        }
        int bar = place.indexOf('|');
        String one = place.substring(space + 1, bar);
        return Text.count((long) fact.value(), one, place.substring(bar + 1));
    }
}
