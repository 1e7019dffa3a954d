package io.github.musterhq;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Does the work of each job once, in the transaction of the store, and answers 204 when it is done. Work that throws is
 * answered 500: Muster calls again by the rules of the endpoint.
 */
public final class CallbackReceiver implements Handler {
  private static final System.Logger LOG = System.getLogger("muster");

  /** Returns true if it has stored {@code reportTo} and will report later. The answer is then 202. */
  public interface Work {
    boolean apply(Callback callback, Connection transaction) throws Exception;
  }

  private final Work work;
  private final List<String> secrets;
  private final Store store;
  private final String musterUrl;

  /**
   * @param secrets of the endpoint, each {@code whsec_…}; there are several during a rotation
   * @param musterUrl null unless calls contain only the path of the report
   */
  public CallbackReceiver(Work work, List<String> secrets, Store store, String musterUrl) {
    this.work = work;
    this.secrets = List.copyOf(secrets);
    this.store = store;
    this.musterUrl = musterUrl;
  }

  @Override
  public int maxBodyBytes() {
    return 1024 * 1024;
  }

  @Override
  public Reply handle(String method, String path, Map<String, String> headers, byte[] body) {
    Map<String, String> named = Signatures.named(headers);
    try {
      String id = Signatures.verify(named, body, secrets, Instant.now());
      String given = named.getOrDefault("muster-attempt", "");
      int attempt = given.matches("[0-9]{1,9}") ? Integer.parseInt(given) : 1;
      Callback callback = new Callback(id, attempt, body, named, Reports.invitationIn(named, musterUrl));
      boolean isLater = store.receiveOnce(id, attempt, transaction -> apply(callback, transaction));
      return new Reply(isLater ? 202 : 204, null, Map.of());
    } catch (Signatures.UnverifiedCall unverified) {
      return new Reply(401, Map.of("code", "unverified", "message", unverified.getMessage()), Map.of());
    } catch (Exception error) {
      LOG.log(System.Logger.Level.ERROR, "the work of a callback failed", error);
      return new Reply(500, Map.of("code", "internal-error", "message", "the work failed"), Map.of());
    }
  }

  private boolean apply(Callback callback, Connection transaction) throws Exception {
    boolean isLater = work.apply(callback, transaction);
    if (isLater && callback.reportTo() == null)
      throw new IllegalStateException(
          "Muster expects no report of this call: set reportWithinSeconds of the endpoint");
    return isLater;
  }
}
