import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore } from './effects.ts';

/**
 * Memory of contract class D: applies every call and remembers nothing. Useful for tests that call it like class A or
 * B: the ledger then shows repeated calls as doubled effects, which A and B would hide.
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
