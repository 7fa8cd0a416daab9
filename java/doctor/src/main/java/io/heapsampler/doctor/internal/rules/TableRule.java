// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Check;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * One scenario: its sentences, and the function of a timeline that finds its {@link Facts}. Rules
 * keep no state between two calls.
 *
 * <p>The first line of the sentences is the id. Each other line is a key and a sentence: {@code
 * hidden} or {@code quiet}, why it did not fire, and {@code title}, of which the first counts;
 * {@code CODE}, {@code FLAG} or {@code SIZE}, the advice, of which the last counts; {@code wrong},
 * what refutes it; or the name of a fact that is evidence. After a key, {@code ?fact} means only if
 * that fact is there and not 0, and {@code !fact} the opposite. In a sentence, <code>{fact}</code>
 * is its value, <code>{fact one|many}</code> the number with a word, and <code>{key}</code> the
 * first other sentence with that key.
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

    final String id;
    private final List<Line> lines = new ArrayList<>();
    private final BiConsumer<Situation, Facts> find;

    TableRule(String sentences, BiConsumer<Situation, Facts> find) {
        List<String> all = sentences.lines().toList();
        this.id = all.get(0);
        all.subList(1, all.size()).forEach(each -> lines.add(Line.of(each)));
        if (lines.stream().noneMatch(line -> line.key().equals(Facts.EXPLAINED))) {
            lines.add(Line.of(Facts.EXPLAINED + " {" + Facts.EXPLAINED + "}"));
        }
        this.find = find;
    }

    /** Searches for its scenario, even if the JVM does not report figures. */
    Verdict judge(Situation s) {
        Facts facts = new Facts(s, lines);
        find.accept(s, facts);
        if (facts.severity == null) {
            String hidden = facts.first("hidden");
            boolean isHidden = !hidden.isEmpty();
            String why = isHidden ? hidden : facts.first("quiet");
            return new Verdict(null, new Check(id, why, !isHidden));
        }
        List<Evidence> evidence = new ArrayList<>();
        List<String> refuters = new ArrayList<>();
        Advice advice = null;
        for (Line line : lines) {
            if (line.holds(facts)) {
                switch (line.key()) {
                    case "CODE", "FLAG", "SIZE" ->
                            advice =
                                    new Advice(
                                            Advice.Kind.valueOf(line.key()),
                                            facts.in(line.sentence()));
                    case "wrong" -> refuters.add(facts.in(line.sentence()));
                    default -> facts.tell(line.key(), line.sentence(), evidence);
                }
            }
        }
        return new Verdict(
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
                        null),
                null);
    }
}
