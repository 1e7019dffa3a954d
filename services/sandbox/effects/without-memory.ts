import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore } from './effects.ts';

/**
 * Contract class D: applies every call and remembers nothing. Called as if it were of another class, it is a naive
 * sink: its ledger shows doubled effects that classes A and B would hide.
 */
export function createWithoutMemory(): EffectStore {
  return {
    apply: (request, decide) => Promise.resolve({ ok: true, effects: effectsOf(request, decide) }),
    close: () => Promise.resolve(),
  };
}

/** Returns the effects of a call on users without earlier results. */
export function effectsOf({ call }: BatchRequest, decide: Decide): Effects {
  const effects: Effects = { failures: [], applied: [], failedNow: [], repeated: 0 };
  for (const user of call.users) {
    const failure = decide(user);
    if (failure) effects.failures.push(failure);
    if (!failure) effects.applied.push(user);
    else if (!failure.retryable) effects.failedNow.push(user);
  }
  return effects;
}
