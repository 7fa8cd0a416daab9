// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.support.JvmProcess;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key of a client and its certificates, and what messages show of them. */
class PemFilesTest {

    private static final String CERTIFICATE = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE";
    private static final String KEY = "OTEL_EXPORTER_OTLP_CLIENT_KEY";
    private static final String PASSWORD = "not-a-secret";

    /** Has a file of certificates and one of the key for each alias. */
    @TempDir private static Path folder;

    @BeforeAll
    static void make() throws Exception {
        keytool("ca", "EC", "-ext", "bc:c");
        keytool("signed", "EC", "-signer", "ca");
        keytool("EC", "EC");
        keytool("RSA", "RSA");
        keytool("EdDSA", "Ed25519");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("keys.p12"))) {
            keys.load(in, PASSWORD.toCharArray());
        }
        for (String alias : List.of("ca", "signed", "EC", "RSA", "EdDSA")) {
            byte[] key = keys.getKey(alias, PASSWORD.toCharArray()).getEncoded();
            Files.writeString(key(alias), pem("PRIVATE KEY", key));
            StringBuilder chain = new StringBuilder();
            for (Certificate each : keys.getCertificateChain(alias)) {
                chain.append(pem("CERTIFICATE", each.getEncoded()));
            }
            Files.writeString(certificates(alias), chain);
        }
    }

    private static void keytool(String alias, String algorithm, String... more) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                alias,
                                "-keyalg",
                                algorithm,
                                "-dname",
                                "CN=" + alias,
                                "-keystore",
                                folder.resolve("keys.p12").toString(),
                                "-storepass",
                                PASSWORD,
                                "-storetype",
                                "PKCS12"));
        command.addAll(List.of(more));
        JvmProcess.End end = new JvmProcess(command, folder, folder.resolve("keytool.log")).run(60);
        assertThat(end.code()).as("%s", end).isZero();
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(kind, Base64.getMimeEncoder().encodeToString(encoded), kind);
    }

    private static Path key(String alias) {
        return folder.resolve(alias + ".key");
    }

    private static Path certificates(String alias) {
        return folder.resolve(alias + ".pem");
    }

    private static OtelVariables client(Object certificates, Object key) {
        return new OtelVariables(
                Map.of(CERTIFICATE, certificates.toString(), KEY, key.toString())::get);
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(Object certificates, Object key) {
        return assertThatThrownBy(client(certificates, key)::sslContext)
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "EdDSA", "signed"})
    void takesAKeyWithItsCertificates(String alias) {
        assertThat(client(certificates(alias), key(alias)).sslContext()).isPresent();
    }

    /** Of the same algorithm, and of another one. */
    @ParameterizedTest
    @CsvSource({"EC, signed", "EC, RSA", "RSA, EC", "EdDSA, EC", "RSA, EdDSA", "signed, EC"})
    void refusesTheKeyOfAnotherCertificate(String alias, String other) {
        assertRefused(certificates(alias), key(other))
                .hasMessageStartingWith(KEY + " is \"" + key(other) + "\", but must be")
                .hasMessageEndingWith("(it is not the key of " + CERTIFICATE + ").");
    }

    /** The key of the issuer is in the list as well. */
    @Test
    void refusesCertificatesThatDoNotBeginWithThatOfTheKey() throws Exception {
        String own = Files.readString(certificates("signed"));
        String issuer = Files.readString(certificates("ca"));
        String ownAlone = own.replace(issuer, "");
        Path turned = Files.writeString(folder.resolve("turned.pem"), issuer + ownAlone);
        Path unrelated =
                Files.writeString(
                        folder.resolve("unrelated.pem"),
                        ownAlone + Files.readString(certificates("RSA")));

        assertThat(ownAlone).isNotEqualTo(own);
        for (Path file : List.of(turned, unrelated)) {
            assertNoChain(file, "signed");
        }
        assertNoChain(certificates("signed"), "ca");
    }

    private static void assertNoChain(Path file, String alias) {
        assertRefused(file, key(alias))
                .hasMessage(
                        CERTIFICATE
                                + " is \""
                                + file
                                + "\", but must be a readable file of certificates in PEM format"
                                + " (they are no chain: the client's own must be first, then that"
                                + " of its issuer, and so on).");
    }

    /** By mistake the variable holds the key itself, in one of the forms that secrets have. */
    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "EdDSA"})
    void doesNotShowKeys(String alias) throws Exception {
        String pem = Files.readString(key(alias));
        String lines = pem.replaceAll("-----.*-----\n", "");
        String base64 = lines.replaceAll("\\s", "");
        for (String value :
                List.of(
                        pem,
                        pem.replace("\n", "\\n"),
                        pem.replaceAll("\\s", " "),
                        lines,
                        base64,
                        Base64.getEncoder().encodeToString(pem.getBytes()),
                        "\"" + base64 + "\"")) {
            assertRefused(certificates(alias), value)
                    .hasNoCause()
                    .hasMessageStartingWith(KEY + " must be the path of a readable file with an")
                    .hasMessageEndingWith(" Its value is not shown, because it may be a secret.")
                    .message()
                    .doesNotContain(base64.substring(0, 20), base64.substring(base64.length() - 9));
        }
    }

    @Test
    void doesNotShowTheContentOfOtherVariables() throws Exception {
        String both = Files.readString(key("EC")) + Files.readString(certificates("EC"));

        assertRefused(both, key("EC"))
                .hasMessageStartingWith(CERTIFICATE + " must be the path of a readable file of")
                .hasMessageEndingWith(" Its value is not shown, because it may be a secret.");
    }

    @Test
    void showsAPathOnce() {
        Path noFolder = key("EC").resolve("none");

        assertRefused(certificates("EC"), noFolder)
                .hasMessageStartingWith(KEY + " is \"" + noFolder + "\", but must be")
                .hasMessageEndingWith("(the file cannot be read: Not a directory).");
        assertRefused(certificates("EC"), folder)
                .hasMessageEndingWith("(the file cannot be read: Is a directory).");
    }
}
