// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.StringReader;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.xml.parsers.SAXParserFactory;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;
import org.xml.sax.InputSource;

/** FOP: a document of some pages becomes a PDF file in memory. */
final class Fop implements Scenario {

    private static final int BLOCKS = 30;

    /** Held, for a logger without one loses its level. */
    private static final Logger LOGGER = Logger.getLogger("org.apache.fop");

    private final FopFactory factory = FopFactory.newInstance(new File(".").toURI());
    private final SAXParserFactory parsers = SAXParserFactory.newInstance();
    private final String document;

    Fop() {
        parsers.setNamespaceAware(true);
        LOGGER.setLevel(Level.OFF);
        StringBuilder blocks = new StringBuilder();
        for (int i = 0; i < BLOCKS; i++) {
            blocks.append("<fo:block font-size='").append(8 + i % 5).append("pt'>Block ");
            blocks.append(i).append(" of words that have to be broken into lines. ".repeat(6));
            blocks.append("<fo:inline font-weight='bold'>bold</fo:inline></fo:block>");
        }
        document =
                "<fo:root xmlns:fo='http://www.w3.org/1999/XSL/Format'><fo:layout-master-set>"
                        + "<fo:simple-page-master master-name='page' page-height='20cm'"
                        + " page-width='15cm' margin='1cm'><fo:region-body/>"
                        + "</fo:simple-page-master></fo:layout-master-set>"
                        + "<fo:page-sequence master-reference='page'>"
                        + "<fo:flow flow-name='xsl-region-body'>"
                        + blocks
                        + "</fo:flow></fo:page-sequence></fo:root>";
    }

    @Override
    public void round() throws Exception {
        ByteArrayOutputStream pdf = new ByteArrayOutputStream();
        // Not by a transformer: FOP runs one of its own inside, which JDK 25 does not let it.
        parsers.newSAXParser()
                .parse(
                        new InputSource(new StringReader(document)),
                        factory.newFop(MimeConstants.MIME_PDF, pdf).getDefaultHandler());
        if (pdf.size() < 1_000) {
            throw new IllegalStateException("no document");
        }
    }
}
