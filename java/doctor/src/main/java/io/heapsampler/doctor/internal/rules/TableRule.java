// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A rule that is a row of a table: its sentences, and the function that finds its {@link Facts}.
 *
 * <p>The first line of the sentences is the id. Each other line is a key and a sentence: {@code
 * hidden} and {@code quiet}, why it did not fire; {@code title}; {@code CODE}, {@code FLAG} or
 * {@code SIZE}, the advice; {@code wrong}, what refutes it; or the name of a fact that is evidence.
 * After a key, {@code ?fact} means only if that fact is there and not 0, and {@code !fact} the
 * opposite. In a sentence, <code>{fact}</code> is its value, and <code>{fact one|many}</code> the
 * number with a word.
 */
final class TableRule implements Rule {

    private record Line(String key, String condition, boolean isWanted, String sentence) {

        static Line of(String text) {
            int end = text.indexOf(' ');
            String key = text.substring(0, end);
            int mark = Math.max(key.indexOf('?'), key.indexOf('!'));
            return new Line(
                    mark < 0 ? key : key.substring(0, mark),
                    mark < 0 ? "" : key.substring(mark + 1),
                    mark < 0 || key.charAt(mark) == '?',
                    text.substring(end + 1));
        }

        boolean holds(Facts facts) {
            return condition.isEmpty() || facts.has(condition) == isWanted;
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
        find.accept(s, facts.text("collector", s.collectorText()));
        Severity severity = facts.severity();
        if (severity == null) {
            String hidden = sentence("hidden", facts);
            return hidden == null
                    ? Verdict.quiet(this, String.valueOf(sentence("quiet", facts)))
                    : Verdict.hidden(this, hidden);
        }
        String title = String.valueOf(sentence("title", facts));
        FindingBuilder finding = new FindingBuilder(this, s, severity, title);
        if (facts.to() > 0) {
            finding.window(facts.from(), facts.to());
        }
        for (Line line : lines) {
            if (line.holds(facts)) {
                tell(line, facts, finding);
            }
        }
        for (Advice.Kind kind : Advice.Kind.values()) {
            String advice = sentence(kind.name(), facts);
            if (advice != null) {
                finding.advice(kind, advice);
            }
        }
        return finding.sites(facts.sites()).callers(facts.callers()).fired();
    }

    private static void tell(Line line, Facts facts, FindingBuilder finding) {
        Evidence evidence = facts.evidence(line.key(), line.sentence());
        if (line.key().equals("wrong")) {
            finding.refutedBy(facts.in(line.sentence()));
        } else if (evidence != null) {
            finding.evidence(evidence.name(), evidence.value(), evidence.unit(), evidence.text());
        }
    }

    /** The first that holds; null if there is none. */
    private @Nullable String sentence(String key, Facts facts) {
        for (Line line : lines) {
            if (line.key().equals(key) && line.holds(facts)) {
                return facts.in(line.sentence());
            }
        }
        return null;
    }
}
