package io.github.musterhq;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A call of Muster.
 *
 * @param isTest true in a test send: check everything and answer as if live, but without any effect
 * @param digest identifies the bytes of the body
 */
public record Call(
    String campaign,
    String run,
    int step,
    String country,
    int batch,
    String actionType,
    JsonNode params,
    List<String> users,
    String key,
    int attempt,
    boolean isTest,
    String digest) {
  private static final int MAX_USER_ID_BYTES = 256;
  private static final int MAX_SHOWN = 100;
  /** Matches only surrogates without their other half. */
  private static final Pattern FORBIDDEN_IN_IDS = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\uD800-\\uDFFF]");

  /** Question for the status of users, in class C. */
  record Question(String run, int step, List<String> users) {}

  /** Reads a call. Throws for the first violation of the contract. */
  static Call read(Map<String, String> headers, byte[] body, int maxUsers) throws Refusal {
    String key = header(headers, "Idempotency-Key", "[\\x21-\\x7e]{1,100}", "has to be 1 to 100 visible ASCII characters");
    String attempt = header(headers, "Muster-Attempt", "[1-9][0-9]{0,8}", "has to be an integer from 1");
    String mode = header(headers, "Muster-Mode", "live|test", "has to be live or test");
    JsonNode parsed = object(body);
    JsonNode action = parsed.path("action");
    require(action.isObject(), "/action", action, "has to be an object");
    JsonNode params = action.path("params");
    require(params.isObject(), "/action/params", params, "has to be an object");
    String country = text(parsed, "country", "/country");
    require(country.matches("[A-Z]{2}"), "/country", parsed.path("country"), "has to be two capital letters");
    return new Call(
        text(parsed, "campaign", "/campaign"),
        text(parsed, "run", "/run"),
        count(parsed, "step"),
        country,
        count(parsed, "batch"),
        text(action, "type", "/action/type"),
        params,
        users(parsed, maxUsers),
        key,
        Integer.parseInt(attempt),
        mode.equals("test"),
        digestOf(body));
  }

  static Question readQuestion(byte[] body, int maxUsers) throws Refusal {
    JsonNode parsed = object(body);
    return new Question(text(parsed, "run", "/run"), count(parsed, "step"), users(parsed, maxUsers));
  }

  private static JsonNode object(byte[] body) throws Refusal {
    JsonNode parsed = Json.read(body);
    if (parsed.isMissingNode()) throw new Refusal(400, "malformed-json", "the body is no JSON in UTF-8");
    require(parsed.isObject(), "/", parsed, "has to be an object");
    return parsed;
  }

  private static List<String> users(JsonNode parsed, int maxUsers) throws Refusal {
    JsonNode listed = parsed.path("users");
    require(listed.isArray() && !listed.isEmpty(), "/users", listed, "has to be a list of one user or more");
    if (listed.size() > maxUsers) {
      String message = "at most " + maxUsers + " users a call";
      throw new Refusal(413, "too-many-users", "/users", String.valueOf(listed.size()), message);
    }
    List<String> users = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (JsonNode user : listed) {
      String field = "/users/" + users.size();
      require(user.isTextual() && isUserId(user.textValue()), field, user, "is no valid user id");
      require(seen.add(user.textValue()), field, user, "is in the list twice");
      users.add(user.textValue());
    }
    return List.copyOf(users);
  }

  private static boolean isUserId(String id) {
    int bytes = id.getBytes(StandardCharsets.UTF_8).length;
    return bytes >= 1 && bytes <= MAX_USER_ID_BYTES && !FORBIDDEN_IN_IDS.matcher(id).find();
  }

  private static String header(Map<String, String> headers, String name, String pattern, String rule) throws Refusal {
    String value = headers.get(name);
    if (value != null && value.matches(pattern)) return value;
    throw new Refusal("invalid-request", name, value, name + " " + rule);
  }

  private static String text(JsonNode parent, String name, String field) throws Refusal {
    JsonNode value = parent.path(name);
    require(value.isTextual() && !value.textValue().isEmpty(), field, value, "has to be a text");
    return value.textValue();
  }

  private static int count(JsonNode parent, String name) throws Refusal {
    JsonNode value = parent.path(name);
    boolean isCount = value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 1;
    require(isCount, "/" + name, value, "has to be an integer from 1");
    return value.intValue();
  }

  private static void require(boolean holds, String field, JsonNode value, String rule) throws Refusal {
    if (!holds) throw new Refusal("invalid-request", field, quotedValue(value), field + " " + rule);
  }

  /** Formats a value for people: a text unchanged, any other value as JSON; null if there is none. */
  private static String quotedValue(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) return null;
    String text = value.isTextual() ? value.textValue() : value.toString();
    int length = text.codePointCount(0, text.length());
    return length <= MAX_SHOWN ? text : text.substring(0, text.offsetByCodePoints(0, MAX_SHOWN));
  }

  private static String digestOf(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }
}
