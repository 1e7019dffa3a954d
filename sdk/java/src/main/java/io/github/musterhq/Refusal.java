package io.github.musterhq;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Refuses a whole call, of which nothing may have been applied. 400 and 422 refuse users or parameters: Muster tries
 * smaller batches. 401, 403, 404 and 501 hold the step until a person has changed something.
 */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1;
  private final transient Map<String, String> body = new LinkedHashMap<>();
  final transient Reply reply;

  private Refusal(int status, String code, String message, Map<String, String> details, Map<String, String> headers) {
    super(message);
    body.put("code", code);
    body.put("message", message);
    body.putAll(details);
    reply = new Reply(status, body, headers);
  }

  public Refusal(int status, String code, String message) {
    this(status, code, message, Map.of(), Map.of());
  }

  /** Refuses the value of a field with 422. */
  public Refusal(String code, String field, String value, String message) {
    this(422, code, field, value, message);
  }

  /** @param value null if there is none */
  Refusal(int status, String code, String field, String value, String message) {
    this(status, code, message, Map.of("field", field), Map.of());
    if (value != null) body.put("value", value);
  }

  /** Postpones a call with 503. Muster sends the call again after this number of seconds. */
  public static Refusal notNow(int seconds) {
    return new Refusal(503, "not-now", "not now", Map.of(), Map.of("Retry-After", String.valueOf(seconds)));
  }

  static Refusal otherMethod() {
    return new Refusal(405, "method-not-allowed", "only POST", Map.of(), Map.of("Allow", "POST"));
  }
}
