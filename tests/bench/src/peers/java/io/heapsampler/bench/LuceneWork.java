// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.util.Random;
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
import org.apache.lucene.store.Directory;

/** Indexes seeded documents in memory and searches them. */
final class LuceneWork implements Workload {

    private static final int DOCUMENTS = 800;
    private static final int WORDS = 60;
    private static final int VOCABULARY = 20_000;
    private static final int QUERIES = 500;

    private long expected = -1;

    @Override
    public void work() throws IOException {
        Random random = new Random(1);
        try (Directory directory = new ByteBuffersDirectory()) {
            index(directory, random);
            long found = search(directory, random);
            if (expected < 0) {
                expected = found;
            }
            Workload.check(found > 0 && found == expected, found + " documents found");
        }
    }

    private static void index(Directory directory, Random random) throws IOException {
        try (StandardAnalyzer analyzer = new StandardAnalyzer();
                IndexWriter writer =
                        new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (int i = 0; i < DOCUMENTS; i++) {
                StringBuilder text = new StringBuilder();
                for (int j = 0; j < WORDS; j++) {
                    text.append(word(random)).append(' ');
                }
                Document document = new Document();
                document.add(new TextField("text", text.toString(), Field.Store.YES));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    private static long search(Directory directory, Random random) throws IOException {
        long found = 0;
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            for (int i = 0; i < QUERIES; i++) {
                TermQuery query = new TermQuery(new Term("text", word(random)));
                found += searcher.search(query, 10).totalHits.value;
            }
        }
        return found;
    }

    /** Words of low rank are frequent, about as in a natural language. */
    private static String word(Random random) {
        return "w" + (int) Math.pow(VOCABULARY, random.nextDouble());
    }
}
