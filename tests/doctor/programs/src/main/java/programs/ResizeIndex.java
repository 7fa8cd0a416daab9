// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Builds an index in memory from a heap that begins small, so that the heap is enlarged again and
 * again. Arguments: seconds, documents per second.
 */
final class ResizeIndex {

    private ResizeIndex() {}

    public static void main(String... args) throws IOException {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory();
                IndexWriter writer =
                        new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            Pace.of(args).at(Double.parseDouble(args[1]), number -> add(writer));
            System.out.println("documents: " + writer.getDocStats().numDocs);
        }
    }

    private static void add(IndexWriter writer) throws IOException {
        Document document = new Document();
        document.add(new TextField("text", Garbage.text(3_000), Field.Store.YES));
        writer.addDocument(document);
    }
}
