// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * Draws the kept figures for the README. Arguments: the file of results; the folder for the
 * pictures. The colours can be read on white and on black: the background is left out.
 */
final class Plot {

    // Opacities have one digit at most, versions two numbers.
    private static final Pattern DECIMALS = Pattern.compile("-?\\d+\\.\\d{2,}");
    /** Of which the figures are that are drawn. */
    private static final int JDK = 17;

    private static final int WIDTH = 820;
    private static final int HEIGHT = 360;
    private static final Color TEXT = new Color(0x7D, 0x85, 0x90);
    private static final Color LINES = new Color(0x7D, 0x85, 0x90, 0x50);
    private static final Color NOTHING = new Color(0, 0, 0, 0);
    private static final Map<String, Color> COLOURS = new LinkedHashMap<>();

    static {
        COLOURS.put("HeapSampler", new Color(0x2E, 0xA0, 0x43));
        COLOURS.put("minimal agent", new Color(0xA3, 0x71, 0xF7));
        COLOURS.put("async-profiler, live", new Color(0xE3, 0x6A, 0x2E));
        COLOURS.put("async-profiler", new Color(0xF0, 0xA8, 0x6B));
        COLOURS.put("ddprof, live", new Color(0x38, 0x8B, 0xFD));
        COLOURS.put("JFR, 150 samples a second", new Color(0x8B, 0x94, 0x9E));
        COLOURS.put("G1", new Color(0x2E, 0xA0, 0x43));
        COLOURS.put("Parallel", new Color(0x38, 0x8B, 0xFD));
        COLOURS.put("Serial", new Color(0xA3, 0x71, 0xF7));
        COLOURS.put("Shenandoah", new Color(0xE3, 0x6A, 0x2E));
        COLOURS.put("ZGC", new Color(0x8B, 0x94, 0x9E));
    }

    private final Figures figures;
    private final Path folder;

    private Plot(Figures figures, Path folder) {
        this.figures = figures;
        this.folder = folder;
    }

    public static void main(String[] arguments) throws IOException {
        System.setProperty("java.awt.headless", "true");
        Plot plot = new Plot(new Figures(Path.of(arguments[0]), JDK), Path.of(arguments[1]));
        Files.createDirectories(plot.folder);
        plot.cost();
        plot.overhead(
                "512k",
                "ddprof, live",
                "ddprof_live_512k",
                "JFR, 150 samples a second",
                "jfr_alloc");
        plot.overhead("64k");
        plot.pause();
    }

    private void cost() throws IOException {
        Map<String, String> cells =
                map(
                        "8 frames", "depth8",
                        "32 frames", "depth32",
                        "62 frames", "depth62",
                        "H2", "h2",
                        "javac", "javac");
        Map<String, String> tools =
                map(
                        "HeapSampler", "ours",
                        "minimal agent", "minimal",
                        "async-profiler, live", "async_live",
                        "ddprof, live", "ddprof_live");
        draw("cost", "Cost of a sample", "microseconds", cells, tools, "cost_%s_1t_%s_thread_ns", 1e-3);
    }

    private void overhead(String interval, String... more) throws IOException {
        Map<String, String> cells =
                map(
                        "H2", "h2",
                        "javac", "javac",
                        "Jython", "jython",
                        "Lucene", "lucene",
                        "FOP", "fop",
                        "Saxon", "saxon");
        Map<String, String> tools =
                map(
                        "HeapSampler", "ours_" + interval,
                        "minimal agent", "minimal_" + interval,
                        "async-profiler, live", "async_live_" + interval);
        tools.putAll(map(more));
        String title = "CPU time of threads, added at " + interval.replace("k", " KiB");
        String pattern = "overhead_%s_%s_threads_percent";
        draw("overhead-" + interval, title, "percent", cells, tools, pattern, 1);
    }

    private void pause() throws IOException {
        Map<String, String> cells =
                map("none", "0", "1,000", "1000", "10,000", "10000", "65,000", "65000");
        Map<String, String> collectors =
                map(
                        "Serial", "serial",
                        "Parallel", "parallel",
                        "G1", "g1",
                        "Shenandoah", "shenandoah",
                        "ZGC", "z");
        String title = "Time added to a young collection by tracked objects";
        String pattern = "pause_%2$s_young_%1$s_added_us";
        draw("pause", title, "milliseconds", cells, collectors, pattern, 1e-3);
    }

    /** Returns pairs of a text and what stands for it in the names of figures, in their order. */
    private static Map<String, String> map(String... pairs) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    /** Draws a bar for each cell and series; the pattern makes the figure's name of the two. */
    private void draw(
            String file,
            String title,
            String unit,
            Map<String, String> cells,
            Map<String, String> series,
            String pattern,
            double scale)
            throws IOException {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title + ", " + unit)
                        .build();
        for (Map.Entry<String, String> entry : series.entrySet()) {
            List<Figures.Figure> values =
                    cells.values().stream()
                            .map(cell -> String.format(pattern, cell, entry.getValue()))
                            .filter(figures::has)
                            .map(figures::get)
                            .toList();
            if (values.size() == cells.size()) {
                CategorySeries bars =
                        chart.addSeries(
                                entry.getKey(),
                                List.copyOf(cells.keySet()),
                                values.stream().map(v -> v.value() * scale).toList(),
                                values.stream().map(v -> v.halfWidth() * scale).toList());
                bars.setFillColor(COLOURS.get(entry.getKey()));
            }
        }
        if (chart.getSeriesCollection().isEmpty()) {
            System.err.println("no figures for " + file);
            return;
        }
        style(chart.getStyler());
        save(chart, folder.resolve(file + ".svg"));
    }

    private static void style(CategoryStyler styler) {
        Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
        styler.setChartBackgroundColor(NOTHING)
                .setChartFontColor(TEXT)
                .setChartTitleFont(font.deriveFont(Font.BOLD, 14f))
                .setLegendBackgroundColor(NOTHING)
                .setLegendBorderColor(NOTHING)
                .setLegendFont(font)
                .setLegendPosition(LegendPosition.OutsideE)
                .setPlotContentSize(.9);
        styler.setPlotBackgroundColor(NOTHING)
                .setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(LINES)
                .setPlotGridVerticalLinesVisible(false)
                .setPlotGridLinesStroke(new BasicStroke(1))
                .setAxisTickLabelsColor(TEXT)
                .setAxisTickMarksColor(LINES)
                .setAxisTickLabelsFont(font)
                .setErrorBarsColor(TEXT);
        styler.setAvailableSpaceFill(.8);
    }

    private static void save(CategoryChart chart, Path file) throws IOException {
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart.paint(graphics, WIDTH, HEIGHT);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Processors.get("svg")
                .getDocument(graphics.getCommands(), new PageSize(WIDTH, HEIGHT))
                .writeTo(bytes);
        Files.writeString(file, tidy(bytes.toString(StandardCharsets.UTF_8)));
        System.out.println(file);
    }

    /**
     * Takes away what the library writes too much: namespaces that browsers stumble over, a
     * document type, invisible digits, indentation.
     */
    private static String tidy(String svg) {
        String plain = svg.replace(" xmlns=\"\"", "").replaceAll("<!DOCTYPE[^>]*>", "");
        String rounded =
                DECIMALS.matcher(plain)
                        .replaceAll(
                                number ->
                                        BigDecimal.valueOf(Double.parseDouble(number.group()))
                                                .setScale(1, RoundingMode.HALF_UP)
                                                .stripTrailingZeros()
                                                .toPlainString());
        return rounded.replaceAll("\\s*\n\\s*", "\n");
    }
}
