package io.github.musterhq;

import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Records that an endpoint or a receiver keeps, so that a repeat has no second effect. */
public interface Store {
  /** Serves users. The connection has the store's transaction, or is null. */
  interface Give {
    Map<String, Outcome> give(List<String> users, Connection transaction) throws Exception;
  }

  /** Does the work of a callback in the store's transaction. Returns true if a report follows. */
  interface Work {
    boolean apply(Connection transaction) throws Exception;
  }

  /** Reads and changes records within one transaction. */
  interface Statements<Result> {
    Result run(Records records) throws Exception;
  }

  /** The first answer to a key. */
  record Answer(String digest, Map<String, Outcome> outcomes) {}

  /** Error of a call with other bytes under the key of an earlier call. */
  final class KeyReused extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** Records within one transaction. A concurrent claim of the same record waits for the end of the transaction. */
  interface Records {
    /** Returns the transaction for actions and work; null if the store has none. */
    Connection transaction();

    /** Adds records of users who have none, with an outcome or null. Returns these users in the order of the call. */
    List<String> claim(Call call, Outcome outcome) throws Exception;

    /** Returns the outcomes of users who have one, in a map that may be changed. */
    Map<String, Outcome> read(String run, int step, List<String> users) throws Exception;

    /** Changes the records of users, and removes the records of users whose outcome is null. */
    void record(Call call, Map<String, Outcome> outcomes) throws Exception;

    /** Adds a record of the call's key. Returns the first answer if there was a record; otherwise null. */
    Answer claimKey(Call call) throws Exception;

    void answer(Call call, Map<String, Outcome> outcomes) throws Exception;

    /** Adds a record of a callback. Returns 0 if it is new; otherwise the attempt whose report is awaited, or null. */
    Integer claimCallback(String id) throws Exception;

    /** @param attempt null if no report is awaited */
    void awaitReport(String id, Integer attempt) throws Exception;
  }

  /** Runs statements in a transaction. It is rolled back if they throw or {@code isKept} is false. */
  <Result> Result in(boolean isKept, Statements<Result> statements) throws Exception;

  /** Class A: serves users without a final outcome, and returns the first final outcome of each user. */
  default Map<String, Outcome> giveOncePerUser(Call call, Give give) throws Exception {
    return in(!call.isTest(), records -> giveAndRead(records, call, records.claim(call, null), give));
  }

  /** Class B: serves a call with a new key, or returns the first answer to the key. Throws KeyReused. */
  default Map<String, Outcome> giveOncePerKey(Call call, Give give) throws Exception {
    return in(
        !call.isTest(),
        records -> {
          Answer first = records.claimKey(call);
          if (first == null) {
            Map<String, Outcome> given = give.give(call.users(), records.transaction());
            records.answer(call, given);
            return given;
          }
          if (!first.digest().equals(call.digest())) throw new KeyReused();
          return first.outcomes();
        });
  }

  /** Class C: records users as in progress, serves them, then records outcomes. Omits users of another call. */
  default Map<String, Outcome> giveAndRecord(Call call, Give give) throws Exception {
    if (call.isTest()) return give(call, give);
    // This record is committed before users are served: after a crash they are "in-progress", not "not-found".
    List<String> fresh = in(true, records -> records.claim(call, Outcome.IN_PROGRESS));
    try {
      Map<String, Outcome> known = in(true, records -> giveAndRead(records, call, fresh, give));
      known.values().removeIf(Outcome.IN_PROGRESS::equals);
      return known;
    } catch (Refusal refusal) {
      Map<String, Outcome> removed = new HashMap<>();
      fresh.forEach(user -> removed.put(user, null));
      in(true, records -> recordAll(records, call, removed));
      throw refusal;
    }
  }

  /** Class D: serves users in a transaction, and records nothing. */
  default Map<String, Outcome> give(Call call, Give give) throws Exception {
    return in(!call.isTest(), records -> give.give(call.users(), records.transaction()));
  }

  /** Class C: returns recorded outcomes, without users who were never served. */
  default Map<String, Outcome> outcomes(String run, int step, List<String> users) throws Exception {
    return in(true, records -> records.read(run, step, users));
  }

  /** Does the work of a callback unless it is done or accepted. Returns true if a report follows. */
  default boolean receiveOnce(String id, int attempt, Work work) throws Exception {
    return in(
        true,
        records -> {
          Integer awaited = records.claimCallback(id);
          if (awaited == null || awaited >= attempt) return awaited != null;
          boolean isLater = work.apply(records.transaction());
          records.awaitReport(id, isLater ? attempt : null);
          return isLater;
        });
  }

  private static Map<String, Outcome> giveAndRead(Records records, Call call, List<String> fresh, Give give)
      throws Exception {
    Map<String, Outcome> given = fresh.isEmpty() ? Map.of() : give.give(fresh, records.transaction());
    Map<String, Outcome> kept = new HashMap<>(given);
    kept.replaceAll((user, outcome) -> outcome.endsUser() ? outcome : null);
    Map<String, Outcome> known = recordAll(records, call, kept).read(call.run(), call.step(), call.users());
    known.putAll(given);
    return known;
  }

  private static Records recordAll(Records records, Call call, Map<String, Outcome> outcomes) throws Exception {
    records.record(call, outcomes);
    return records;
  }
}
