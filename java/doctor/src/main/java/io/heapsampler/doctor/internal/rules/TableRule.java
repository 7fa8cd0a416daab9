// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A rule that is a row of a table: its sentences, and the function that finds its {@link Facts}.
 *
 * <p>The first line of the sentences is the id. Each other line is a key and a sentence: {@code
 * hidden} or {@code quiet}, why it did not fire, and {@code title}, of which the first counts;
 * {@code CODE}, {@code FLAG} or {@code SIZE}, the advice, of which the last counts; {@code wrong},
 * what refutes it; or the name of a fact that is evidence. After a key, {@code ?fact} means only if
 * that fact is there and not 0, and {@code !fact} the opposite. In a sentence, <code>{fact}</code>
 * is its value, <code>{fact one|many}</code> the number with a word, and <code>{key}</code> the
 * first other sentence with that key.
 */
final class TableRule implements Rule {

    private record Line(String key, String condition, boolean isWanted, String sentence) {

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

    private final String id;
    private final List<Line> lines = new ArrayList<>();
    private final BiConsumer<Situation, Facts> find;

    TableRule(String sentences, BiConsumer<Situation, Facts> find) {
        List<String> all = sentences.lines().toList();
        this.id = all.get(0);
        all.subList(1, all.size()).forEach(each -> lines.add(Line.of(each)));
        this.find = find;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Verdict judge(Situation s) {
        Facts facts = new Facts();
        facts.sentences = key -> first(key, facts);
        find.accept(s, facts.text("collector", s.collectorText()));
        if (facts.severity == null) {
            String hidden = first("hidden", facts);
            return hidden.isEmpty()
                    ? Verdict.quiet(this, first("quiet", facts))
                    : Verdict.hidden(this, hidden);
        }
        FindingBuilder finding = new FindingBuilder(this, s, facts.severity, first("title", facts));
        finding.during(facts.collections, facts.events);
        if (facts.to > 0) {
            finding.window(facts.from, facts.to);
        }
        for (Line line : lines) {
            if (line.holds(facts)) {
                tell(line.key(), line.sentence(), facts, finding);
            }
        }
        return finding.sites(facts.sites).callers(facts.callers).fired();
    }

    private static void tell(String key, String sentence, Facts facts, FindingBuilder finding) {
        switch (key) {
            case "CODE", "FLAG", "SIZE" ->
                    finding.advice(Advice.Kind.valueOf(key), facts.in(sentence));
            case "wrong" -> finding.refutedBy(facts.in(sentence));
            default -> facts.tell(key, sentence, finding);
        }
    }

    private String first(String key, Facts facts) {
        for (Line line : lines) {
            if (line.key().equals(key) && line.holds(facts)) {
                return facts.in(line.sentence());
            }
        }
        return "";
    }
}
