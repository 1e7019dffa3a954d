package io.github.musterhq;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of calls by Standard Webhooks 1.0 (https://www.standardwebhooks.com). */
public final class Signatures {
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private Signatures() {}

  /** Error of a call without a valid signature. */
  public static final class UnverifiedCall extends Exception {
    private static final long serialVersionUID = 1;

    UnverifiedCall(String reason) {
      super(reason);
    }
  }

  /** Returns the value of {@code webhook-signature} under a secret {@code whsec_…}. */
  public static String sign(String secret, String id, long timestamp, byte[] body) {
    try {
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  /**
   * Verifies that one of the secrets has signed a call, at most five minutes from now. The body must be unchanged, byte
   * by byte.
   *
   * @return the id of the call, which is the same for all repeats
   */
  public static String verify(Map<String, String> headers, byte[] body, List<String> secrets, Instant now)
      throws UnverifiedCall {
    Map<String, String> named = named(headers);
    String id = named.getOrDefault("webhook-id", "");
    String timestamp = named.getOrDefault("webhook-timestamp", "");
    String signatures = named.getOrDefault("webhook-signature", "");
    if (id.isEmpty() || timestamp.isEmpty() || signatures.isEmpty())
      throw new UnverifiedCall("a webhook-… header is missing");
    if (!timestamp.matches("[0-9]{1,12}")) throw new UnverifiedCall("webhook-timestamp is no number of seconds");
    long seconds = Long.parseLong(timestamp);
    if (Duration.between(Instant.ofEpochSecond(seconds), now).abs().compareTo(TOLERANCE) > 0)
      throw new UnverifiedCall("its time is too far from now");
    // All pairs are compared, in constant time, so that the duration reveals nothing about the secrets.
    boolean isSigned = false;
    for (String secret : secrets) {
      byte[] expected = sign(secret, id, seconds, body).getBytes(StandardCharsets.UTF_8);
      for (String offered : signatures.split(" "))
        isSigned |= MessageDigest.isEqual(expected, offered.getBytes(StandardCharsets.UTF_8));
    }
    if (!isSigned) throw new UnverifiedCall("no signature is of this body under one of these secrets");
    return id;
  }

  /** Returns headers that are found in any case. */
  static Map<String, String> named(Map<String, String> headers) {
    Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    named.putAll(headers);
    return named;
  }
}
