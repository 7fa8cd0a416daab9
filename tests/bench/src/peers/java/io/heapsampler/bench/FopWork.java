// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.StringReader;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;

/** Typesets a generated document. */
final class FopWork implements Workload {

    private static final int BLOCKS = 120;

    private final FopFactory factory = FopFactory.newInstance(new File(".").toURI());
    private final String document = document();
    private int expected = -1;

    private static String document() {
        StringBuilder text = new StringBuilder();
        text.append("<fo:root xmlns:fo='http://www.w3.org/1999/XSL/Format'>")
                .append("<fo:layout-master-set><fo:simple-page-master master-name='page'")
                .append(" page-width='210mm' page-height='297mm' margin='20mm'>")
                .append("<fo:region-body/></fo:simple-page-master></fo:layout-master-set>")
                .append("<fo:page-sequence master-reference='page'>")
                .append("<fo:flow flow-name='xsl-region-body'>");
        for (int i = 0; i < BLOCKS; i++) {
            text.append("<fo:block space-after='4pt' font-size='10pt'>Paragraph ").append(i);
            text.append(" of a text that is long enough to be broken into lines.".repeat(6));
            text.append("</fo:block>");
        }
        return text.append("</fo:flow></fo:page-sequence></fo:root>").toString();
    }

    @Override
    public void work() throws Exception {
        ByteArrayOutputStream pdf = new ByteArrayOutputStream();
        Fop fop = factory.newFop(MimeConstants.MIME_PDF, pdf);
        TransformerFactory.newInstance("com.sun.org.apache.xalan.internal.xsltc.trax.TransformerFactoryImpl", null)
                .newTransformer()
                .transform(
                        new StreamSource(new StringReader(document)),
                        new SAXResult(fop.getDefaultHandler()));
        int pages = fop.getResults().getPageCount();
        if (expected < 0) {
            expected = pages;
        }
        Workload.check(pages > 1 && pages == expected && pdf.size() > 1000, pages + " pages");
    }
}
