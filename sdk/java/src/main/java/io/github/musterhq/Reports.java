package io.github.musterhq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reports of callbacks that were accepted, and receipts of users that a batch endpoint accepted. */
public final class Reports {
  private static final int MAX_RECEIPTS = 1000;

  /** The address of a report, for one attempt of one job. Store it with the work. */
  public record Invitation(String url, String token, int withinSeconds) {}

  /** Error of a report, or of receipts, that Muster did not accept. */
  public static final class RefusedReport extends RuntimeException {
    private static final long serialVersionUID = 1;
    public final int status;
    public final String code;

    RefusedReport(Sender.Answer answer) {
      super(answer.fields().path("detail").asText("it was refused"));
      status = answer.status();
      code = answer.fields().path("code").asText("unknown");
    }
  }

  private final Sender sender;

  /** Creates a reporter that repeats a request ten times at most. */
  public Reports() {
    this(Sender.of(10));
  }

  Reports(Sender sender) {
    this.sender = sender;
  }

  /** Returns null if no report is expected. {@code musterUrl} is needed if calls contain only a path. */
  public static Invitation invitationIn(Map<String, String> headers, String musterUrl) {
    Map<String, String> named = Signatures.named(headers);
    String path = named.getOrDefault("muster-report", "");
    String token = named.getOrDefault("muster-report-token", "");
    String within = named.getOrDefault("muster-report-within", "");
    if (path.isEmpty() || token.isEmpty() || !within.matches("[0-9]{1,9}")) return null;
    boolean isBelow = musterUrl != null && path.startsWith("/");
    String url = isBelow ? musterUrl.replaceFirst("/+$", "") + path : path;
    return new Invitation(url, token, Integer.parseInt(within));
  }

  /**
   * Reports an outcome: {@code done}, or {@code failed} with a reason, and optionally {@code final}, {@code
   * retryAfterSeconds} and {@code detail}. Safe to repeat.
   *
   * @return {@code called}, {@code failed} or {@code unchanged}
   * @throws RefusedReport with the reason why the report does not count
   */
  public String report(Invitation invitation, Map<String, ?> content) throws IOException, InterruptedException {
    byte[] body = Json.write(content).getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = Map.of("authorization", "Bearer " + invitation.token());
    Sender.Answer answer = sender.send("POST", invitation.url(), body, () -> headers, Reports::isForNow);
    if (answer.status() >= 300) throw new RefusedReport(answer);
    return answer.fields().path("result").asText("unchanged");
  }

  /** Muster may not have stored the end of the call yet. */
  private static boolean isForNow(Sender.Answer answer) {
    return answer.status() >= 500 || answer.fields().path("code").asText().equals("report-too-early");
  }

  /**
   * Sends receipts of an endpoint that answered 202, signed with the secret of its action type. A receipt counts once, so
   * repeats are safe.
   *
   * @return problems of receipts that do not count, each with its {@code index} in the list
   */
  public List<JsonNode> sendReceipts(String musterUrl, String secret, List<? extends Map<String, ?>> receipts)
      throws IOException, InterruptedException {
    List<JsonNode> problems = new ArrayList<>();
    for (int start = 0; start < receipts.size(); start += MAX_RECEIPTS) {
      List<?> part = receipts.subList(start, Math.min(start + MAX_RECEIPTS, receipts.size()));
      byte[] body = Json.write(Map.of("receipts", part)).getBytes(StandardCharsets.UTF_8);
      String url = musterUrl.replaceFirst("/+$", "") + "/v1/receipts";
      Sender.Answer answer = sender.send("POST", url, body, () -> signatureOf(secret, body), one -> false);
      if (answer.status() != 202) throw new RefusedReport(answer);
      for (JsonNode problem : answer.fields().path("problems")) {
        if (problem instanceof ObjectNode fields) fields.put("index", problem.path("index").asInt() + start);
        problems.add(problem);
      }
    }
    return problems;
  }

  private static Map<String, String> signatureOf(String secret, byte[] body) {
    String id = UUID.randomUUID().toString();
    long now = Instant.now().getEpochSecond();
    return Map.of(
        "webhook-id", id,
        "webhook-timestamp", String.valueOf(now),
        "webhook-signature", Signatures.sign(secret, id, now, body));
  }
}
