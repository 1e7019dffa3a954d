package io.github.musterhq;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers calls of a batch endpoint, and in class C also questions at paths that end with {@code /status}. Methods that
 * return an endpoint set an option; call them before the first call of Muster.
 */
public final class BatchEndpoint implements Handler {
  private static final System.Logger LOG = System.getLogger("muster");

  /** Class of the contract: the promise that an endpoint keeps. */
  public enum ContractClass {
    A,
    B,
    C,
    D
  }

  /**
   * Serves users, and returns an outcome for each of them. It throws a Refusal only if nothing was applied. Any other
   * exception is answered 500: the call may have been applied.
   */
  public interface Action {
    Map<String, Outcome> give(Call call, List<String> users, Connection transaction) throws Exception;
  }

  private final ContractClass contractClass;
  private final Action action;
  private final Store store;
  private String authorization;
  private List<String> signingSecrets = List.of();
  private boolean isCompact;
  private int status = 200;
  private int maxUsers = 1000;
  private int maxBodyBytes = 4 * 1024 * 1024;

  public BatchEndpoint(ContractClass contractClass, Action action, Store store) {
    this.contractClass = contractClass;
    this.action = action;
    this.store = store;
  }

  /** Requires the whole {@code Authorization} header. */
  public BatchEndpoint authorization(String header) {
    authorization = header;
    return this;
  }

  /** Requires that one of the secrets has signed each call; there are two secrets during a rotation. */
  public BatchEndpoint signingSecrets(List<String> secrets) {
    signingSecrets = List.copyOf(secrets);
    return this;
  }

  /** Answers in the compact form. */
  public BatchEndpoint compact() {
    isCompact = true;
    return this;
  }

  /** Answers 202, because success means that receipts follow. */
  public BatchEndpoint accepting() {
    status = 202;
    return this;
  }

  public BatchEndpoint maxUsers(int users) {
    maxUsers = users;
    return this;
  }

  public BatchEndpoint maxBodyBytes(int bytes) {
    maxBodyBytes = bytes;
    return this;
  }

  @Override
  public int maxBodyBytes() {
    return maxBodyBytes;
  }

  @Override
  public Reply handle(String method, String path, Map<String, String> headers, byte[] body) {
    try {
      if (!method.equals("POST")) throw Refusal.otherMethod();
      Map<String, String> named = Signatures.named(headers);
      boolean isQuestion = contractClass == ContractClass.C && path.endsWith("/status");
      authorize(named, body, isQuestion);
      if (!named.getOrDefault("content-type", "").split(";")[0].trim().equalsIgnoreCase("application/json"))
        throw new Refusal(415, "unsupported-media-type", "Content-Type has to be application/json");
      if (body.length > maxBodyBytes)
        throw new Refusal(413, "body-too-large", "at most " + maxBodyBytes + " bytes");
      return isQuestion ? answer(Call.readQuestion(body, maxUsers)) : serve(Call.read(named, body, maxUsers));
    } catch (Refusal refusal) {
      return refusal.reply;
    } catch (Exception error) {
      LOG.log(System.Logger.Level.ERROR, "a request failed", error);
      return new Reply(500, Map.of("code", "internal-error", "message", "the call may have been applied"), Map.of());
    }
  }

  private void authorize(Map<String, String> headers, byte[] body, boolean isQuestion) throws Refusal {
    byte[] given = headers.getOrDefault("authorization", "").getBytes(StandardCharsets.UTF_8);
    if (authorization != null && !MessageDigest.isEqual(given, authorization.getBytes(StandardCharsets.UTF_8)))
      throw new Refusal(401, "unauthorized", "the Authorization header is missing or wrong");
    if (signingSecrets.isEmpty()) return;
    try {
      String id = Signatures.verify(headers, body, signingSecrets, Instant.now());
      // The signature covers the id. Otherwise a signed body under another key would be a second call.
      if (!isQuestion && !id.equals(headers.get("idempotency-key")))
        throw new Refusal(401, "unverified", "webhook-id has to be the Idempotency-Key");
    } catch (Signatures.UnverifiedCall unverified) {
      throw new Refusal(401, "unverified", unverified.getMessage());
    }
  }

  private Reply serve(Call call) throws Exception {
    boolean[] hasBegun = {false};
    Store.Give give =
        (users, transaction) -> {
          hasBegun[0] = true;
          Map<String, Outcome> given = action.give(call, users, transaction);
          if (given.size() != users.size() || !given.keySet().containsAll(users))
            throw new IllegalStateException("the action has to return one outcome for each user of its list");
          return given;
        };
    try {
      Map<String, Outcome> outcomes = outcomesOf(call, give);
      return new Reply(status, content(call.users(), outcomes), Map.of());
    } catch (Store.KeyReused reused) {
      throw new Refusal("key-reused", "Idempotency-Key", call.key(), "other bytes came under this key");
    } catch (Refusal refusal) {
      throw refusal;
    } catch (Exception error) {
      if (hasBegun[0]) throw error;
      LOG.log(System.Logger.Level.ERROR, "the store is not available", error);
      throw Refusal.notNow(1);
    }
  }

  private Map<String, Outcome> outcomesOf(Call call, Store.Give give) throws Exception {
    return switch (contractClass) {
      case A -> store.giveOncePerUser(call, give);
      case B -> store.giveOncePerKey(call, give);
      case C -> store.giveAndRecord(call, give);
      case D -> store.give(call, give);
    };
  }

  private Map<String, Object> content(List<String> users, Map<String, Outcome> outcomes) {
    List<Map<String, Object>> results = new ArrayList<>();
    List<Map<String, Object>> failures = new ArrayList<>();
    for (String user : users) {
      Outcome outcome = outcomes.get(user);
      if (outcome == null) continue;
      results.add(result(user, outcome));
      if (outcome.status().equals("failed")) failures.add(results.get(results.size() - 1));
    }
    if (!isCompact) return Map.of("results", results);
    failures.forEach(failure -> failure.remove("status"));
    return Map.of("succeeded", results.size() - failures.size(), "failed", failures);
  }

  private Reply answer(Call.Question question) throws Exception {
    Map<String, Outcome> known = store.outcomes(question.run(), question.step(), question.users());
    List<Map<String, Object>> results =
        question.users().stream().map(user -> result(user, known.getOrDefault(user, Outcome.NOT_FOUND))).toList();
    return new Reply(200, Map.of("results", results), Map.of());
  }

  private static Map<String, Object> result(String user, Outcome outcome) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("id", user);
    result.put("status", outcome.status());
    if (outcome.code() != null) result.put("code", outcome.code());
    if (outcome.message() != null) result.put("message", outcome.message());
    if (outcome.retryable() != null) result.put("retryable", outcome.retryable());
    return result;
  }
}
