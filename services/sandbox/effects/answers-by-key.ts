import { hash } from 'node:crypto';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectsAnswer, EffectStore, UserFailure } from './effects.ts';
import { effectsOf } from './without-memory.ts';

/**
 * Contract class B in memory: request key → first answer. Stores only the failures, because the rest follows from the
 * request, whose bytes are the same. The same user under another key has a second effect, as class B allows.
 */
export function createAnswersByKey(): EffectStore {
  const answers = new Map<string, { digest: string; failures: UserFailure[] }>();

  function apply(request: BatchRequest, decide: Decide): EffectsAnswer {
    const digest = hash('sha1', request.body, 'base64');
    const first = answers.get(request.key);
    if (first && first.digest !== digest) {
      const message = `the key ${request.key} was first sent with another body`;
      return { ok: false, refusal: { status: 422, code: 'key-reused', message } };
    }
    if (first) return { ok: true, effects: repeatOf(request, first.failures) };
    const effects = effectsOf(request, decide);
    answers.set(request.key, { digest, failures: effects.failures });
    return { ok: true, effects };
  }

  return {
    apply: (request, decide) => Promise.resolve(apply(request, decide)),
    close: () => Promise.resolve(),
  };
}

function repeatOf(request: BatchRequest, failures: UserFailure[]): Effects {
  return { failures, applied: [], failedNow: [], repeated: request.call.users.length };
}
