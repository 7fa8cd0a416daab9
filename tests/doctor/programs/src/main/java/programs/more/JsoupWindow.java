// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Faulty with a young generation of a few megabytes: pages that Jsoup has parsed wait in a short
 * queue until they are indexed, longer than a young collection takes to come.
 */
public final class JsoupWindow {

    private static final int PAGES_A_SECOND = 90;

    private static final int WAITING = 30;

    private static long indexed;

    private final Deque<Document> waiting = new ArrayDeque<>();

    private static String html(int number) {
        StringBuilder html = new StringBuilder("<html><body><ul>");
        for (int i = 0; i < 500; i++) {
            html.append("<li><a href='/page/").append(number * 500L + i).append("'>link ");
            html.append(i).append("</a></li>");
        }
        return html.append("</ul></body></html>").toString();
    }

    private static Document parse(int number) {
        return Jsoup.parse(html(number));
    }

    private int page(int number) {
        waiting.add(parse(number));
        return waiting.size() > WAITING ? waiting.poll().select("a[href]").size() : 0;
    }

    public static void main(String... args) {
        JsoupWindow crawler = new JsoupWindow();
        Load.at(PAGES_A_SECOND, args, number -> indexed += crawler.page(number));
        System.out.println("indexed " + indexed);
    }
}
