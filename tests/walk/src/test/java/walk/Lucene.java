// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: an index in memory is written, merged by its own threads, and searched. */
final class Lucene implements Scenario {

    private static final int DOCUMENTS = 100;
    private static final int TERMS = 30;
    private static final int VOCABULARY = 2_000;
    private static final int QUERIES = 50;

    private final SplittableRandom random = new SplittableRandom(60);

    @Override
    public void round() throws IOException {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer =
                    new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
                for (int i = 0; i < DOCUMENTS; i++) {
                    Document document = new Document();
                    document.add(new TextField("text", text(), Field.Store.YES));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
            search(directory);
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < TERMS; i++) {
            text.append('w').append(random.nextInt(1 + random.nextInt(VOCABULARY))).append(' ');
        }
        return text.toString();
    }

    private void search(ByteBuffersDirectory directory) throws IOException {
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            for (int i = 0; i < QUERIES; i++) {
                Term term = new Term("text", "w" + random.nextInt(VOCABULARY));
                Sink.last = searcher.search(new TermQuery(term), 5);
            }
        }
    }
}
