// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.Serializer;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.XsltTransformer;

/** Sorts the rows of a generated document. */
final class SaxonWork implements Workload {

    private static final int ROWS = 2_000;
    private static final String STYLE =
            """
            <xsl:stylesheet version='2.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>
              <xsl:template match='/'>
                <sorted>
                  <xsl:for-each select='rows/row'>
                    <xsl:sort select='number(@key)'/>
                    <line><xsl:value-of select="concat(@key, ' ', text())"/></line>
                  </xsl:for-each>
                </sorted>
              </xsl:template>
            </xsl:stylesheet>
            """;

    private final Processor processor = new Processor(false);
    private final XsltExecutable style =
            processor.newXsltCompiler().compile(new StreamSource(new StringReader(STYLE)));
    private final String rows = rows();
    private int expected = -1;

    SaxonWork() throws SaxonApiException {}

    private static String rows() {
        StringBuilder text = new StringBuilder("<rows>");
        for (int i = 0; i < ROWS; i++) {
            int key = i * 7919 % ROWS;
            text.append("<row key='").append(key).append("'>row number ").append(i);
            text.append("</row>");
        }
        return text.append("</rows>").toString();
    }

    @Override
    public void work() throws SaxonApiException {
        StringWriter result = new StringWriter();
        XsltTransformer transformer = style.load();
        transformer.setSource(new StreamSource(new StringReader(rows)));
        Serializer serializer = processor.newSerializer(result);
        transformer.setDestination(serializer);
        transformer.transform();
        int length = result.getBuffer().length();
        if (expected < 0) {
            expected = length;
        }
        Workload.check(length > ROWS && length == expected, length + " characters");
    }
}
