import type { BatchRequest, Decide, Effects, EffectStore } from './effects.ts';

/**
 * Contract class D: it applies whatever comes and remembers nothing. Called as if it were of another class, it is a
 * naive sink: a doubled effect that classes A and B would hide shows in its ledger.
 */
export function createWithoutMemory(): EffectStore {
  return {
    apply: (request, decide) => Promise.resolve({ ok: true, effects: effectsOf(request, decide) }),
    close: () => Promise.resolve(),
  };
}

/** What a call does when nothing is known of its users. */
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
