// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One scenario: its sentences, which are a part of {@code findings.txt}, and the function of a
 * timeline that finds its {@link Facts}. Rules keep no state between two calls.
 *
 * <p>The first line of a part is the id. Each other line is a key and a sentence: {@code hidden} or
 * {@code quiet}, why it did not fire, and {@code title}, of which the first counts; {@code CODE},
 * {@code FLAG} or {@code SIZE}, the advice, of which the last counts; {@code wrong}, what refutes
 * it; {@code because}, the ids of findings that would explain it, see {@link Relations}; {@code
 * similar}, the ids of rules with the same symptoms; or the name of a fact that is evidence. After
 * a key, {@code ?fact} means only if that fact is there and not 0, and {@code !fact} the opposite.
 * In a sentence, <code>{fact}</code> is its value, <code>{fact one|many}</code> the number with a
 * word, and <code>{key}</code> the first other sentence with that key.
 *
 * <p>The last part, {@code notes}, has the sentences that are no row of a rule.
 */
final class TableRule {

    record Line(String key, String condition, boolean isWanted, String sentence) {

        static Line of(String text) {
            int end = text.indexOf(' ');
            String key = text.substring(0, end);
            String sentence = text.substring(end + 1);
            int mark = Math.max(key.indexOf('?'), key.indexOf('!'));
            return mark < 0
                    ? new Line(key, "", false, sentence)
                    : new Line(
                            key.substring(0, mark),
                            key.substring(mark + 1),
                            key.charAt(mark) == '?',
                            sentence);
        }

        boolean holds(Facts facts) {
            return facts.has(condition) == isWanted; // No fact has an empty name.
        }
    }

    private static final Map<String, List<Line>> TABLE = read();

    final String id;
    final List<Line> lines;
    private final BiConsumer<Situation, Facts> find;

    TableRule(String id, BiConsumer<Situation, Facts> find) {
        this.id = id;
        this.lines = TABLE.getOrDefault(id, List.of());
        this.find = find;
    }

    private static Map<String, List<Line>> read() {
        Map<String, List<Line>> table = new HashMap<>();
        Table.read("findings.txt")
                .forEach((id, lines) -> table.put(id, lines.stream().map(Line::of).toList()));
        return table;
    }

    /** Returns a sentence of the part {@code notes}, with values in its places, {@code {}}. */
    static String note(String key, @Nullable Object... values) {
        for (Line line : TABLE.getOrDefault("notes", List.of())) {
            if (line.key().equals(key)) {
                return Text.of(line.sentence(), values);
            }
        }
        throw new IllegalArgumentException(key);
    }

    /** Searches for its scenario, even if the JVM does not report figures. */
    Facts judge(Situation s) {
        Facts facts = new Facts(s, lines);
        find.accept(s, facts);
        if (facts.severity == null) {
            String hidden = facts.first("hidden");
            boolean isHidden = !hidden.isEmpty();
            String why = isHidden ? hidden : facts.first("quiet");
            facts.check = new Check(id, why, !isHidden);
            return facts;
        }
        List<Evidence> evidence = new ArrayList<>();
        List<String> refuters = new ArrayList<>();
        Advice advice = null;
        for (Line line : lines) {
            String sentence = line.sentence();
            switch (line.holds(facts) ? line.key() : "does not hold") {
                case "CODE", "FLAG", "SIZE" ->
                        advice = new Advice(Advice.Kind.valueOf(line.key()), facts.in(sentence));
                case "wrong" -> refuters.add(facts.in(sentence));
                default -> facts.tell(line, evidence);
            }
        }
        facts.finding =
                new Finding(
                        id,
                        facts.severity,
                        facts.first("title"),
                        s.timeline().shown(facts.from),
                        s.timeline().shown(Math.max(facts.from, facts.to)),
                        s.collectorText(),
                        evidence,
                        facts.sites,
                        facts.callers,
                        List.of(),
                        refuters,
                        advice,
                        null);
        return facts;
    }
}
