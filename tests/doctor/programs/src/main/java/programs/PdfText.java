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
 * Arguments: seconds, documents per second, lines of its page, letters of a line.
 */
final class PdfText {

    private PdfText() {}

    public static void main(String... args) throws IOException {
        byte[] document = document(1, Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        Pace.of(args).at(Double.parseDouble(args[1]), number -> Garbage.sink = text(document));
    }

    private static String text(byte[] document) throws IOException {
        try (PDDocument pdf = Loader.loadPDF(document)) {
            PDFTextStripper stripper = new PDFTextStripper();
            stripper.setSortByPosition(true);
            return stripper.getText(pdf);
        }
    }

    static byte[] document(int pages, int lines, int letters) throws IOException {
        PDType1Font font = new PDType1Font(FontName.HELVETICA);
        try (PDDocument pdf = new PDDocument()) {
            for (int i = 0; i < pages; i++) {
                PDPage page = new PDPage();
                pdf.addPage(page);
                try (PDPageContentStream out = new PDPageContentStream(pdf, page)) {
                    out.beginText();
                    out.setFont(font, 700f / lines);
                    out.setLeading(700f / lines);
                    out.newLineAtOffset(40, 740);
                    for (int line = 0; line < lines; line++) {
                        out.showText(Garbage.text(letters));
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
