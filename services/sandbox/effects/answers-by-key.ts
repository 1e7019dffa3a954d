import { hash } from 'node:crypto';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectsAnswer, EffectStore, UserFailure } from './effects.ts';
import { effectsOf } from './without-memory.ts';

/**
 * Memory of contract class B: the first answer by request key. Stores only the failures, because all else follows from
 * the request, which is the same in a repeated call. If the same user comes under another key, the effect happens
 * again, as class B permits.
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
