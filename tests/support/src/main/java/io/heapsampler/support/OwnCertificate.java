// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A new self-signed certificate for this machine. */
public final class OwnCertificate {

    private static final String PASSWORD = "not-a-secret";
    private static final int SECONDS = 60;

    private OwnCertificate() {}

    /**
     * Makes one. It is its own authority, so that one context serves both sides.
     *
     * @param folder an empty one
     * @return a context that shows the certificate, and trusts no other
     */
    public static SSLContext make(Path folder) throws Exception {
        Path file = folder.resolve("keys.p12");
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD,
                        "-storetype",
                        "PKCS12");
        JvmProcess.End end =
                new JvmProcess(command, folder, folder.resolve("keytool.log")).run(SECONDS);
        if (end.code() != 0) {
            throw new IllegalStateException("keytool ended with " + end);
        }
        return context(file);
    }

    /**
     * Returns the certificate alone, as text.
     *
     * @param folder the one that {@link #make(Path)} was given
     * @return PEM
     */
    public static String pem(Path folder) throws GeneralSecurityException, IOException {
        byte[] certificate = keys(folder.resolve("keys.p12")).getCertificate("server").getEncoded();
        return pem("CERTIFICATE", certificate);
    }

    /**
     * Returns the private key, as text.
     *
     * @param folder the one that {@link #make(Path)} was given
     * @return PEM, PKCS#8
     */
    public static String keyPem(Path folder) throws GeneralSecurityException, IOException {
        KeyStore keys = keys(folder.resolve("keys.p12"));
        return pem("PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(kind, Base64.getMimeEncoder().encodeToString(encoded), kind);
    }

    private static KeyStore keys(Path file) throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private static SSLContext context(Path file) throws GeneralSecurityException, IOException {
        KeyStore keys = keys(file);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        KeyManagerFactory ours =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        ours.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory theirs =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        theirs.init(trusted);
        SSLContext made = SSLContext.getInstance("TLS");
        made.init(ours.getKeyManagers(), theirs.getTrustManagers(), null);
        return made;
    }
}
