// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.thymeleaf.TemplateEngine;
import org.thymeleaf.context.Context;
import org.thymeleaf.templateresolver.StringTemplateResolver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Healthy: a busy service writes pages with Thymeleaf; its few templates are cached. */
public final class ThymeleafPages {

    private static final int PAGES_A_SECOND = 250;

    private static final String LIST =
            "<h1 th:text=\"${title}\">Title</h1><ul>"
                    + "<li th:each=\"line : ${lines}\" th:text=\"${line}\">Line</li></ul>";

    private static final String CARD =
            "<div th:if=\"${lines.size() > 3}\"><b th:text=\"${title}\">Title</b>"
                    + "<i th:each=\"line : ${lines}\" th:title=\"${line}\">x</i></div>";

    private final TemplateEngine engine = new TemplateEngine();

    private final AtomicLong written = new AtomicLong();

    private ThymeleafPages() {
        StringTemplateResolver resolver = new StringTemplateResolver();
        resolver.setCacheable(true);
        engine.setTemplateResolver(resolver);
    }

    private void page(int number) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            lines.add("line " + i + " of page " + number);
        }
        Context context = new Context();
        context.setVariable("title", "Page " + number);
        context.setVariable("lines", lines);
        written.addAndGet(engine.process(number % 2 == 0 ? LIST : CARD, context).length());
    }

    public static void main(String... args) throws InterruptedException {
        ThymeleafPages site = new ThymeleafPages();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        Load.at(PAGES_A_SECOND, args, number -> pool.execute(() -> site.page(number)));
        pool.shutdown();
        System.out.println("done " + pool.awaitTermination(20, TimeUnit.SECONDS));
        System.out.println("written " + site.written);
    }
}
