// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust in the certificates of a file. */
final class PemTrust {

    private PemTrust() {}

    /** The file cannot be used. The message says why. */
    static final class UnusableException extends Exception {

        private static final long serialVersionUID = 1L;

        UnusableException(String reason) {
            super(reason);
        }
    }

    /** Returns a context that trusts the certificates of a PEM file, and no others. */
    static SSLContext of(Path file) throws UnusableException {
        try {
            Collection<? extends Certificate> certificates = read(file);
            if (certificates.isEmpty()) {
                throw new UnusableException("the file has no certificate");
            }
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry("trusted-" + count++, certificate);
            }
            TrustManagerFactory managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (NoSuchFileException e) {
            throw new UnusableException("there is no such file");
        } catch (IOException e) {
            throw new UnusableException("the file cannot be read: " + e);
        } catch (GeneralSecurityException e) {
            throw new UnusableException("the file has no valid certificate");
        }
    }

    private static Collection<? extends Certificate> read(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }
}
