package io.github.musterhq;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A client of jobs. Fields are those of the API (docs/jobs.md). A job without an {@code idempotencyKey} gets a generated
 * one, so repeats store it only once.
 */
public final class JobsClient {
  /** Error of a request that Muster refused. Programs should distinguish problems by the code. */
  public static final class MusterProblem extends RuntimeException {
    private static final long serialVersionUID = 1;
    public final int status;
    public final String code;
    /** The whole problem; its {@code errors} have each invalid field. */
    public final transient JsonNode problem;

    MusterProblem(int status, JsonNode problem) {
      super(messageOf(problem));
      this.status = status;
      this.code = problem.path("code").asText();
      this.problem = problem;
    }
  }

  /**
   * Error of a request without a valid answer from Muster, which may have processed it. {@code unreachable}: there was
   * no answer. {@code unexpected-answer}: another server answered, such as a proxy.
   */
  public static final class MusterUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1;
    public final String code;
    /** Status of the other server; 0 if there was no answer. */
    public final int status;

    MusterUnavailable(String code, int status, String message, Exception cause) {
      super(message, cause);
      this.code = code;
      this.status = status;
    }
  }

  private final String url;
  private final String apiKey;
  private final Sender sender;

  /** Creates a client that repeats a request five times at most. */
  public JobsClient(String url, String apiKey) {
    this(url, apiKey, Sender.of(5));
  }

  JobsClient(String url, String apiKey, Sender sender) {
    this.url = url.replaceFirst("/+$", "");
    this.apiKey = apiKey;
    this.sender = sender;
  }

  public JsonNode schedule(Map<String, ?> job) {
    return post("/v1/jobs", keyed(job));
  }

  /** Schedules up to 5,000 jobs, with a result for each, in order. */
  public JsonNode scheduleMany(String client, List<? extends Map<String, ?>> jobs) {
    return post("/v1/jobs/bulk", Map.of("client", client, "jobs", jobs.stream().map(JobsClient::keyed).toList()));
  }

  public JsonNode job(String id) {
    return send("GET", pathOf(id), null, Map.of());
  }

  /** Calls a function with each matching job, page by page. */
  public void jobs(Map<String, String> query, Consumer<JsonNode> each) {
    Map<String, String> page = new TreeMap<>(Map.of("limit", "500"));
    page.putAll(query);
    JsonNode next;
    do {
      String text = page.entrySet().stream().map(one -> one.getKey() + "=" + encode(one.getValue())).collect(Collectors.joining("&"));
      JsonNode answer = send("GET", "/v1/jobs?" + text, null, Map.of());
      answer.path("items").forEach(each);
      next = answer.path("next");
      page.put("cursor", next.asText());
    } while (next.isTextual());
  }

  public JsonNode cancel(String id) {
    return post(pathOf(id) + "/cancel", null);
  }

  /** Moves a job to {@code dueAt}, {@code delaySeconds}, or {@code localTime} and {@code zone}. */
  public JsonNode reschedule(String id, Map<String, ?> due) {
    return post(pathOf(id) + "/reschedule", due);
  }

  public JsonNode runNow(String id) {
    return post(pathOf(id) + "/run-now", null);
  }

  /** Finds jobs by up to 5,000 {@code ids} or {@code idempotencyKeys}, with a result for each. */
  public JsonNode findMany(String client, Map<String, ?> named) {
    return post("/v1/jobs/find", with(named, "client", client));
  }

  public JsonNode cancelMany(String client, Map<String, ?> named) {
    return post("/v1/jobs/cancel", with(named, "client", client));
  }

  /** Sends ended jobs again as new jobs; a repeat of the request sends nothing twice. */
  public JsonNode resend(String client, Map<String, ?> named) {
    Map<String, String> key = Map.of("idempotency-key", UUID.randomUUID().toString());
    return send("POST", "/v1/jobs/resend", with(named, "client", client), key);
  }

  private JsonNode post(String path, Map<String, ?> body) {
    return send("POST", path, body, Map.of());
  }

  /** Sends a request, and may repeat it: each job has its own key, and other repeats have no second effect. */
  private JsonNode send(String method, String path, Map<String, ?> body, Map<String, String> headers) {
    byte[] content = body == null ? new byte[0] : Json.write(body).getBytes(StandardCharsets.UTF_8);
    Map<String, String> sent = new HashMap<>(headers);
    sent.put("authorization", "Bearer " + apiKey);
    Sender.Answer answer;
    try {
      answer = sender.send(method, url + path, content, () -> sent, one -> false);
    } catch (IOException error) {
      throw new MusterUnavailable("unreachable", 0, "no answer from " + url + ": " + error, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new MusterUnavailable("unreachable", 0, "the request to " + url + " was interrupted", error);
    }
    JsonNode fields = answer.fields();
    if (answer.status() >= 200 && answer.status() < 300 && fields.isObject()) return fields;
    if (fields.hasNonNull("code") && fields.path("errors").isArray()) throw new MusterProblem(answer.status(), fields);
    String message = url + " answered " + answer.status() + ", but not as Muster does";
    throw new MusterUnavailable("unexpected-answer", answer.status(), message, null);
  }

  private static String pathOf(String id) {
    return "/v1/jobs/" + encode(id);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static Map<String, Object> keyed(Map<String, ?> job) {
    Object key = job.get("idempotencyKey");
    return with(job, "idempotencyKey", key == null ? UUID.randomUUID().toString() : key);
  }

  private static Map<String, Object> with(Map<String, ?> fields, String name, Object value) {
    Map<String, Object> all = new HashMap<>(fields);
    all.put(name, value);
    return all;
  }

  private static String messageOf(JsonNode problem) {
    String message = problem.path("detail").asText(problem.path("code").asText());
    JsonNode errors = problem.path("errors");
    if (errors.isEmpty()) return message;
    String more = errors.size() == 1 ? "" : ", and " + (errors.size() - 1) + " more";
    JsonNode first = errors.get(0);
    return message + ": " + first.path("pointer").asText() + " " + first.path("detail").asText() + more;
  }
}
