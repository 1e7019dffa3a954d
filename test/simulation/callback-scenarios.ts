import type { CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import { callLeaseMs, wellAnswer, type CallbackScenario } from './callback-world.ts';
import { faultyFates } from './process-faults.ts';
import { createChance } from './seeded.ts';

const failing: CallbackAnswer = { kind: 'answered', status: 503, retryAfterMs: null, body: Buffer.alloc(0) };

/** Returns a scenario with all kinds of faults for twenty seconds. */
export function troubled(seed: number): CallbackScenario {
  const chance = createChance(seed);
  return {
    chance,
    jobs: 25,
    faultsLastMs: 20_000,
    isScarce: seed % 2 === 0,
    fateOf: () => (chance.happens(0.004) ? chance.pick(faultyFates) : 'pass'),
    messageFate: () => (chance.happens(0.1) ? chance.pick(['drop', 'duplicate'] as const) : 'keep'),
    answerOf: () => (chance.happens(0.1) ? 'hang' : chance.happens(0.2) ? failing : wellAnswer),
    frozenMs: () => chance.below(2 * callLeaseMs),
    lateMs: () => chance.below(900),
  };
}
