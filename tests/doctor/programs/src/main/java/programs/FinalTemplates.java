// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import freemarker.template.Configuration;
import freemarker.template.Template;
import freemarker.template.TemplateException;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Pages made of templates, with a finalizer that waits: they are made faster than finalized, so
 * that the queue of the finalizer grows. Arguments: seconds, pages per second, milliseconds of a
 * finalizer.
 */
final class FinalTemplates {

    private FinalTemplates() {}

    /** A page that reports its end to somewhere. */
    private static final class Page {

        final String text;
        private final long millis;

        Page(String text, long millis) {
            this.text = text;
            this.millis = millis;
        }

        @Override
        @SuppressWarnings("Finalize")
        protected void finalize() throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
        }
    }

    public static void main(String... args) throws IOException {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        Template template =
                new Template(
                        "page",
                        "<#list 1..50 as i><li>${i} ${user} ${text}</li></#list>",
                        configuration);
        long millis = Long.parseLong(args[2]);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(100);
                            Garbage.sink = render(template, number, millis).text.length();
                        });
    }

    private static Page render(Template template, int number, long millis)
            throws IOException, TemplateException {
        StringWriter out = new StringWriter();
        template.process(Map.of("user", "user" + number, "text", Garbage.text(400)), out);
        return new Page(out.toString(), millis);
    }
}
