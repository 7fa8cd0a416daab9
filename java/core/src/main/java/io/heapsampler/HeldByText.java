// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.shared.ByteText;
import io.heapsampler.internal.shared.Normal;
import io.heapsampler.internal.shared.PrintableText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Draws an answer about holders as lines. First the width is chosen: how many paths to show, those
 * with most bytes first, each with a few references at its ends. What room is left goes to the
 * middle of the paths. For one thread.
 */
final class HeldByText {

    /**
     * References of a stretch without a branch that are shown at least, if it has as many and there
     * is room for one path.
     */
    private static final int LEAST = 6;

    private static final int SHORTEST = 2;

    private final HeldBy answer;
    private final double total;
    private final int longest;
    private final List<String> lines = new ArrayList<>();

    private final Set<Holder> shown = new HashSet<>();

    private HeldByText(HeldBy answer, int longest) {
        this.answer = answer;
        this.total = answer.total().bytes().value();
        this.longest = longest;
    }

    static String of(HeldBy answer, int most) {
        List<List<Holder>> paths = heaviestPaths(answer, most);
        int count =
                largest(1, paths.size(), each -> draw(answer, paths, each, LEAST).size() <= most);
        int length =
                largest(
                        SHORTEST,
                        HeldPaths.MAX_STEPS + 1,
                        each -> draw(answer, paths, count, each).size() <= most);
        List<String> lines = draw(answer, paths, count, length);
        return String.join("\n", lines.subList(0, Math.min(most, lines.size())));
    }

    /** Returns the largest number that fits, where all smaller ones do; the least if none fits. */
    private static int largest(int least, int most, IntPredicate fits) {
        int low = least;
        int high = Math.max(least, most);
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (fits.test(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    // ---- What is shown ----

    /** A holder on the way to a leaf, in the order in which it was found. */
    private record Candidate(Holder holder, List<Holder> path, int number) {}

    /**
     * Returns the paths from roots to sites, those with most bytes first. Of holders with equal
     * bytes the one nearest to its site is next, so that few paths take few steps.
     */
    private static List<List<Holder>> heaviestPaths(HeldBy answer, int most) {
        Comparator<Candidate> order =
                Comparator.comparingDouble(each -> -each.holder().held().bytes().value());
        PriorityQueue<Candidate> open =
                new PriorityQueue<>(
                        order.thenComparingInt(each -> -each.path().size())
                                .thenComparingInt(Candidate::number));
        List<List<Holder>> paths = new ArrayList<>();
        int number = add(open, List.of(), answer.holders(), 0);
        while (!open.isEmpty() && paths.size() < most) {
            Candidate next = open.remove();
            List<Holder> path = new ArrayList<>(next.path());
            path.add(next.holder());
            List<Holder> children = next.holder().children();
            if (children.isEmpty()) {
                paths.add(path);
            }
            number = add(open, path, children, number);
        }
        return paths;
    }

    private static int add(
            PriorityQueue<Candidate> open, List<Holder> path, List<Holder> holders, int first) {
        int number = first;
        for (Holder each : holders) {
            open.add(new Candidate(each, path, number++));
        }
        return number;
    }

    private static List<String> draw(
            HeldBy answer, List<List<Holder>> paths, int count, int longest) {
        HeldByText text = new HeldByText(answer, longest);
        paths.stream().limit(count).forEach(text.shown::addAll);
        text.lines.add(text.head());
        text.drawSiblings("", answer.holders());
        text.drawUnresolved();
        return text.lines;
    }

    // ---- Drawing ----

    private String head() {
        HeapAmount all = answer.total();
        double missing =
                answer.unresolved().values().stream()
                        .mapToDouble(each -> each.bytes().value())
                        .sum();
        String samples = all.samples() == 1 ? " sample" : " samples";
        String found = all.samples() == 0 ? "" : ", " + share(total - missing) + " with a holder";
        return amount(all)
                + " live in "
                + ByteText.number((double) all.samples())
                + samples
                + found
                + " ("
                + way()
                + ")";
    }

    private String way() {
        String way =
                switch (answer.way()) {
                    case NONE -> "the heap was not walked";
                    case ONE_STOP -> "walked in one stop";
                    case CHILD -> "walked in a child process";
                    case PASSES -> "walked in short stops";
                };
        double millis = answer.longestPause().toNanos() / 1e6;
        String pause = String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis);
        return answer.way() == HeldBy.Way.NONE ? way : way + ", longest pause " + pause;
    }

    /** Draws those holders that are to be shown, and how much the others hold. */
    private void drawSiblings(String indent, List<Holder> siblings) {
        List<Holder> some = siblings.stream().filter(shown::contains).toList();
        for (int i = 0; i < some.size(); i++) {
            Holder holder = some.get(i);
            boolean isLast = some.size() == siblings.size() && i == some.size() - 1;
            String corner = (isLast ? "╰" : "├") + (holder.site().isPresent() ? "→ " : "─ ");
            drawLine(indent + corner, figures(holder.held()) + ": ", holder);
            drawBelow(indent + (isLast ? "   " : "│  "), holder);
        }
        if (some.size() < siblings.size()) {
            HeapAmount sum = HeapAmount.ZERO;
            for (Holder each : siblings) {
                sum = shown.contains(each) ? sum : sum.plus(each.held());
            }
            int hidden = siblings.size() - some.size();
            lines.add(indent + "╰─ " + figures(sum) + ": " + hidden + " more");
        }
    }

    /** Draws the stretch below a holder, as far as each has one child, and the branches there. */
    private void drawBelow(String indent, Holder holder) {
        List<Holder> stretch = new ArrayList<>();
        Holder end = holder;
        List<Holder> children = end.children();
        while (children.size() == 1) {
            end = children.get(0);
            stretch.add(end);
            children = end.children();
        }
        int omitted = 0;
        for (int i = 0; i < stretch.size(); i++) {
            Holder each = stretch.get(i);
            if (isOmitted(stretch, i)) {
                omitted++;
                continue;
            }
            drawOmitted(indent, omitted);
            omitted = 0;
            drawLine(indent + (each.site().isPresent() ? "╰→ " : "↓ "), "", each);
        }
        drawOmitted(indent, omitted);
        if (!children.isEmpty()) {
            drawSiblings(indent, children);
        }
    }

    /** Returns whether a reference is left out: one in the middle that is no suspect. */
    private boolean isOmitted(List<Holder> stretch, int i) {
        int first = longest / 2;
        int last = longest - first;
        return stretch.size() > longest + 1
                && i >= first
                && i < stretch.size() - last
                && !stretch.get(i).isSuspect();
    }

    private void drawOmitted(String indent, int count) {
        if (count > 0) {
            lines.add(indent + "  … " + count + (count == 1 ? " reference" : " references"));
        }
    }

    private void drawLine(String indent, String figures, Holder holder) {
        String text = PrintableText.of(holder.text());
        lines.add(indent + figures + text);
        if (holder.isSuspect()) {
            String freed = holder.exclusive().map(HeldByText::freed).orElse("");
            String below = indent.replace('├', '│').replaceAll("[─→↓]", " ").replace('╰', ' ');
            lines.add(below + " ".repeat(figures.length()) + "~".repeat(text.length()) + freed);
        }
    }

    private static String freed(HeapAmount exclusive) {
        return exclusive.samples() == 0
                ? " others hold the objects as well"
                : " would free " + amount(exclusive);
    }

    private void drawUnresolved() {
        HeapAmount sum = HeapAmount.ZERO;
        List<String> causes = new ArrayList<>();
        for (Map.Entry<Unresolved, HeapAmount> each : answer.unresolved().entrySet()) {
            sum = sum.plus(each.getValue());
            if (each.getValue().samples() > 0) {
                causes.add(each.getKey() + " " + share(each.getValue().bytes().value()));
            }
        }
        if (sum.samples() > 0) {
            lines.add("no holder known: " + figures(sum) + " (" + String.join(", ", causes) + ")");
        }
    }

    private String figures(HeapAmount amount) {
        return share(amount.bytes().value()) + ", " + amount(amount);
    }

    private String share(double bytes) {
        double percent = total == 0 ? 0 : 100 * bytes / total;
        return percent > 0 && percent < 0.5 ? "<1 %" : Math.round(percent) + " %";
    }

    /** Returns an amount of bytes with its error, such as {@code 12 MiB ± 1.5 MiB}. */
    static String amount(HeapAmount amount) {
        Estimate bytes = amount.bytes();
        String value = ByteSize.format(bytes.value());
        if (bytes.standardError() == 0) {
            return value;
        }
        return bytes.hasTooFewSamples()
                ? value
                        + " from "
                        + bytes.samples()
                        + (bytes.samples() == 1 ? " sample" : " samples")
                : value + " ± " + ByteSize.format(Normal.Z95 * bytes.standardError());
    }
}
