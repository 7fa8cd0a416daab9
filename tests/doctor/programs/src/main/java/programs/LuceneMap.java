// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.MMapDirectory;

/**
 * Adds to an index of mapped files and searches it; the mapped pages make the process grow.
 * Arguments: seconds, turns per second, each with 20 documents and a search.
 */
final class LuceneMap {

    private LuceneMap() {}

    public static void main(String... args) throws IOException {
        Path files = Files.createTempDirectory(Path.of(""), "index");
        try (MMapDirectory directory = new MMapDirectory(files);
                IndexWriter writer =
                        new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            Pace.of(args)
                    .at(
                            Double.parseDouble(args[1]),
                            number -> {
                                for (int i = 0; i < 20; i++) {
                                    add(writer);
                                }
                                search(writer, "a" + (char) ('a' + number % 26));
                            });
            System.out.println("documents: " + writer.getDocStats().numDocs);
        }
    }

    private static void add(IndexWriter writer) throws IOException {
        Document document = new Document();
        document.add(new TextField("text", Garbage.text(2_000), Field.Store.YES));
        writer.addDocument(document);
    }

    private static void search(IndexWriter writer, String prefix) throws IOException {
        writer.commit();
        try (DirectoryReader reader = DirectoryReader.open(writer)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            var found = searcher.search(new PrefixQuery(new Term("text", prefix)), 50);
            for (ScoreDoc each : found.scoreDocs) {
                Garbage.sink = searcher.storedFields().document(each.doc).get("text");
            }
        }
    }
}
