// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.rendering.PDFRenderer;

/**
 * Renders pages to pictures, whose pixels are arrays larger than half a region of G1. Arguments:
 * seconds, pages per second, dots per inch.
 */
final class PdfRender {

    private PdfRender() {}

    public static void main(String... args) throws IOException {
        float dpi = Float.parseFloat(args[2]);
        try (PDDocument pdf = Loader.loadPDF(PdfText.document(1, 45, 90))) {
            PDFRenderer renderer = new PDFRenderer(pdf);
            Pace.of(args).at(Double.parseDouble(args[1]), number -> render(renderer, dpi));
        }
    }

    private static void render(PDFRenderer renderer, float dpi) throws IOException {
        Garbage.sink = renderer.renderImageWithDPI(0, dpi);
    }
}
