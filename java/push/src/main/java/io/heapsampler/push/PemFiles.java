// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.push.OtelVariables.Variable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates and keys in PEM files that variables name. */
final class PemFiles {

    private static final String CERTIFICATES = "a readable file of certificates in PEM format";
    private static final String KEY =
            "a readable file with an unencrypted private key in PEM format (PKCS#8, \"BEGIN PRIVATE"
                    + " KEY\")";

    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final Pattern OTHER_KEY =
            Pattern.compile("-----BEGIN (?:RSA |EC |DSA |ENCRYPTED )PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "DSA");

    private static final String CHAIN =
            "they are no chain: the client's own must be first, then that of its issuer, and so on";

    /**
     * The content of such a file instead of its path: PEM, also on one line, or Base64 alone. A
     * secret of Kubernetes, for example, is easily set as the variable itself.
     */
    private static final Pattern CONTENT =
            Pattern.compile("-----BEGIN|[\\r\\n]|^[\"']?[A-Za-z0-9+][A-Za-z0-9+/]{59}");

    private PemFiles() {}

    /** A key of the client, and the variables that name the files of its certificate and of it. */
    record ClientKey(Variable certificate, Variable key) {}

    /**
     * Returns a context for a client.
     *
     * @param trusted names the file of the only trusted certificates; null for those of the JVM
     * @param client what the client shows of itself; null for nothing
     */
    static SSLContext context(@Nullable Variable trusted, @Nullable ClientKey client) {
        TrustManager[] trust = trusted == null ? null : trust(trusted);
        KeyManager[] keys = client == null ? null : keys(client);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TrustManager[] trust(Variable variable) {
        Certificate[] certificates = certificates(variable);
        try {
            KeyStore trusted = emptyStore();
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry("trusted-" + trusted.size(), certificate);
            }
            TrustManagerFactory managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            return managers.getTrustManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw refused(variable, CERTIFICATES, "the file has no valid certificate");
        }
    }

    private static KeyManager[] keys(ClientKey client) {
        Certificate[] chain = certificates(client.certificate());
        PrivateKey key = privateKey(client.key());
        try {
            requireOwner(client, key, chain);
            KeyStore store = emptyStore();
            store.setKeyEntry("client", key, new char[0], chain);
            KeyManagerFactory managers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            return managers.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw refused(client.certificate(), CERTIFICATES, CHAIN);
        }
    }

    /** A key store does not check that. */
    private static void requireOwner(ClientKey client, PrivateKey key, Certificate[] chain)
            throws GeneralSecurityException {
        int owner = 0;
        while (owner < chain.length && !isPair(key, chain[owner].getPublicKey())) {
            owner++;
        }
        if (owner == chain.length) {
            throw refused(client.key(), KEY, "it is not the key of " + client.certificate().name());
        }
        if (owner > 0) {
            throw refused(client.certificate(), CERTIFICATES, CHAIN);
        }
    }

    /** Returns whether one key verifies what the other one signs. */
    private static boolean isPair(PrivateKey own, PublicKey other) throws GeneralSecurityException {
        byte[] text = new byte[32];
        new SecureRandom().nextBytes(text);
        Signature signature = Signature.getInstance(signature(own.getAlgorithm()));
        try {
            signature.initSign(own);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(other);
            signature.update(text);
            return signature.verify(signed);
        } catch (InvalidKeyException | SignatureException e) {
            // Keys of two algorithms, or of two sizes.
            return false;
        }
    }

    /** Returns an algorithm of signatures for one of keys. */
    private static String signature(String algorithm) {
        return switch (algorithm) {
            case "RSA", "DSA" -> "SHA256with" + algorithm;
            case "EC" -> "SHA256withECDSA";
            default -> algorithm;
        };
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        // This type checks chains, and each JVM has it.
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Certificate[] certificates(Variable variable) {
        try (InputStream in = new ByteArrayInputStream(content(variable, CERTIFICATES))) {
            Certificate[] all =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(in)
                            .toArray(Certificate[]::new);
            if (all.length > 0) {
                return all;
            }
        } catch (GeneralSecurityException | IOException e) {
            throw refused(variable, CERTIFICATES, "the file has no valid certificate");
        }
        throw refused(variable, CERTIFICATES, "the file has no certificate");
    }

    private static PrivateKey privateKey(Variable variable) {
        String text = new String(content(variable, KEY), StandardCharsets.ISO_8859_1);
        Matcher pem = PRIVATE_KEY.matcher(text);
        if (!pem.find()) {
            throw refused(
                    variable,
                    KEY,
                    OTHER_KEY.matcher(text).find()
                            ? "the key has another format; \"openssl pkcs8 -topk8 -nocrypt\""
                                    + " converts it"
                            : "the file has no private key");
        }
        for (String algorithm : ALGORITHMS) {
            try {
                byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // The key of another algorithm, or none.
            } catch (GeneralSecurityException | IllegalArgumentException e) {
                break;
            }
        }
        throw refused(variable, KEY, "the file has no valid private key");
    }

    private static byte[] content(Variable variable, String allowed) {
        try {
            return Files.readAllBytes(Path.of(variable.value()));
        } catch (NoSuchFileException e) {
            throw refused(variable, allowed, "there is no such file");
        } catch (FileSystemException e) {
            // Its message has the path in it.
            String reason = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
            throw refused(variable, allowed, "the file cannot be read: " + reason);
        } catch (InvalidPathException e) {
            throw refused(variable, allowed, "it is no path: " + e.getReason());
        } catch (IOException e) {
            throw refused(variable, allowed, "the file cannot be read: " + e.getMessage());
        }
    }

    private static IllegalArgumentException refused(
            Variable variable, String allowed, String reason) {
        String text = allowed + " (" + reason + ")";
        return CONTENT.matcher(variable.value()).find()
                ? variable.refusedUnseen("must be the path of " + text)
                : variable.refused(text);
    }
}
