import type { StatusQuery } from '../../../shared/contracts/endpoints/batch-actions.ts';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide, Effects, EffectStore, UserOutcome } from './effects.ts';
import { effectsOf } from './without-memory.ts';

/**
 * Contract class C in memory: a repeat has a second effect, but the status endpoint reports outcomes. A user stays
 * `succeeded` after the first effect, whatever later calls decide.
 */
export function createOutcomesByUser(): EffectStore {
  const outcomesByStep = new Map<string, Map<string, UserOutcome>>();

  function outcomesOf({ run, step }: { run: string; step: number }): Map<string, UserOutcome> {
    const name = `${run}/${step}`;
    const known = outcomesByStep.get(name) ?? new Map<string, UserOutcome>();
    outcomesByStep.set(name, known);
    return known;
  }

  function apply(request: BatchRequest, decide: Decide): Effects {
    const outcomes = outcomesOf(request.call);
    const effects = effectsOf(request, decide);
    for (const { id, code, retryable } of effects.failures) {
      if (outcomes.get(id)?.status !== 'succeeded') outcomes.set(id, { id, status: 'failed', code, retryable });
    }
    for (const id of effects.applied) outcomes.set(id, { id, status: 'succeeded' });
    return effects;
  }

  function statusOf(query: StatusQuery): UserOutcome[] {
    const outcomes = outcomesOf(query);
    return query.users.map((id) => outcomes.get(id) ?? { id, status: 'not-found' });
  }

  return {
    apply: (request, decide) => Promise.resolve({ ok: true, effects: apply(request, decide) }),
    statusOf,
    close: () => Promise.resolve(),
  };
}
