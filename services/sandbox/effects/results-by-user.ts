import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore, UserFailure } from './effects.ts';

/** Memory of contract class A: the first final result by run, step and user. */
export function createResultsByUser(): EffectStore {
  const resultsByStep = new Map<string, Map<string, UserFailure | null>>();

  function resultsOf({ call }: BatchRequest): Map<string, UserFailure | null> {
    const name = `${call.run}/${call.step}`;
    const known = resultsByStep.get(name);
    if (known) return known;
    const fresh = new Map<string, UserFailure | null>();
    resultsByStep.set(name, fresh);
    return fresh;
  }

  function apply(request: BatchRequest, decide: Decide): Effects {
    const results = resultsOf(request);
    const effects: Effects = { failures: [], applied: [], failedNow: [], repeated: 0 };
    for (const user of request.call.users) {
      const earlier = results.get(user);
      const failure = earlier === undefined ? decide(user) : earlier;
      if (failure) effects.failures.push(failure);
      if (earlier !== undefined) {
        effects.repeated++;
      } else if (!failure?.retryable) {
        results.set(user, failure ?? null);
        (failure ? effects.failedNow : effects.applied).push(user);
      }
    }
    return effects;
  }

  return {
    apply: (request, decide) => Promise.resolve({ ok: true, effects: apply(request, decide) }),
    close: () => Promise.resolve(),
  };
}
