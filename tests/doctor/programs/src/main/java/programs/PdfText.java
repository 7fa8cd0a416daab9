// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts.FontName;
import org.apache.pdfbox.text.PDFTextStripper;

/**
 * Reads the text of a PDF again and again: all that it makes is dead after each document. In a
 * young generation that is smaller than what one document needs, it is promoted nevertheless.
 * Arguments: seconds, documents per second, pages of each.
 */
final class PdfText {

    private static final int LINES = 45;

    private PdfText() {}

    public static void main(String... args) throws IOException {
        byte[] document = document(Integer.parseInt(args[2]));
        Pace.of(args).at(Double.parseDouble(args[1]), number -> Garbage.sink = text(document));
    }

    private static String text(byte[] document) throws IOException {
        try (PDDocument pdf = Loader.loadPDF(document)) {
            PDFTextStripper stripper = new PDFTextStripper();
            stripper.setSortByPosition(true);
            return stripper.getText(pdf);
        }
    }

    static byte[] document(int pages) throws IOException {
        PDType1Font font = new PDType1Font(FontName.HELVETICA);
        try (PDDocument pdf = new PDDocument()) {
            for (int i = 0; i < pages; i++) {
                PDPage page = new PDPage();
                pdf.addPage(page);
                try (PDPageContentStream out = new PDPageContentStream(pdf, page)) {
                    out.beginText();
                    out.setFont(font, 10);
                    out.setLeading(15);
                    out.newLineAtOffset(40, 740);
                    for (int line = 0; line < LINES; line++) {
                        out.showText(Garbage.text(90));
                        out.newLine();
                    }
                    out.endText();
                }
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            pdf.save(bytes);
            return bytes.toByteArray();
        }
    }
}
