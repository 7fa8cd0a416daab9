// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.io.IOException;
import java.io.OutputStream;
import org.dom4j.Document;
import org.dom4j.DocumentException;
import org.dom4j.DocumentHelper;
import org.dom4j.Element;
import org.dom4j.io.OutputFormat;
import org.dom4j.io.XMLWriter;
import programs.more.Load;

/**
 * Healthy: small orders are parsed all the time, and every five seconds a large document of dom4j
 * is built, written and dropped.
 */
public final class Dom4jExports {

    private static final int ORDERS_A_SECOND = 100;

    private static final int ELEMENTS = 50_000;

    private static long amount;

    private static int order(int number) throws DocumentException {
        StringBuilder xml = new StringBuilder("<order>");
        for (int i = 0; i < 30; i++) {
            xml.append("<line id='").append(i).append("'>").append(number).append("</line>");
        }
        return DocumentHelper.parseText(xml.append("</order>").toString())
                .getRootElement()
                .elements("line")
                .size();
    }

    private static Document build(int number) {
        Document document = DocumentHelper.createDocument();
        Element root = document.addElement("export");
        for (int i = 0; i < ELEMENTS; i++) {
            root.addElement("order")
                    .addAttribute("id", number + "-" + i)
                    .addText("customer " + i + " has ordered " + number % 13 + " pieces");
        }
        return document;
    }

    private static int export(int number) throws IOException {
        Document document = build(number);
        XMLWriter writer =
                new XMLWriter(OutputStream.nullOutputStream(), OutputFormat.createPrettyPrint());
        writer.write(document);
        writer.close();
        return document.getRootElement().nodeCount();
    }

    public static void main(String... args) {
        Load.at(
                ORDERS_A_SECOND,
                args,
                number -> {
                    amount += order(number);
                    if (number % (5 * ORDERS_A_SECOND) == ORDERS_A_SECOND) {
                        amount += export(number);
                    }
                });
        System.out.println("amount " + amount);
    }
}
