package io.github.musterhq;

import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A store for tests: its records are lost when its process ends. It serves one call at a time. */
public final class MemoryStore implements Store {
  private Memory memory = new Memory(new HashMap<>(), new HashMap<>(), new HashMap<>());

  @Override
  public synchronized <Result> Result in(boolean isKept, Statements<Result> statements) throws Exception {
    Memory changed =
        new Memory(new HashMap<>(memory.results), new HashMap<>(memory.answers), new HashMap<>(memory.received));
    Result result = statements.run(changed);
    if (isKept) memory = changed;
    return result;
  }

  private record UserKey(String run, int step, String user) {}

  private record Memory(Map<UserKey, Outcome> results, Map<String, Answer> answers, Map<String, Integer> received)
      implements Records {
    @Override
    public Connection transaction() {
      return null;
    }

    @Override
    public List<String> claim(Call call, Outcome outcome) {
      List<String> fresh = call.users().stream().filter(user -> !results.containsKey(keyOf(call, user))).toList();
      fresh.forEach(user -> results.put(keyOf(call, user), outcome));
      return fresh;
    }

    @Override
    public Map<String, Outcome> read(String run, int step, List<String> users) {
      Map<String, Outcome> known = new HashMap<>();
      for (String user : users) known.put(user, results.get(new UserKey(run, step, user)));
      known.values().removeIf(outcome -> outcome == null);
      return known;
    }

    @Override
    public void record(Call call, Map<String, Outcome> outcomes) {
      outcomes.forEach((user, outcome) -> results.compute(keyOf(call, user), (key, before) -> outcome));
    }

    @Override
    public Answer claimKey(Call call) {
      return answers.get(call.key());
    }

    @Override
    public void answer(Call call, Map<String, Outcome> outcomes) {
      answers.put(call.key(), new Answer(call.digest(), outcomes));
    }

    @Override
    public Integer claimCallback(String id) {
      return received.getOrDefault(id, 0);
    }

    @Override
    public void awaitReport(String id, Integer attempt) {
      received.put(id, attempt);
    }

    private static UserKey keyOf(Call call, String user) {
      return new UserKey(call.run(), call.step(), user);
    }
  }
}
