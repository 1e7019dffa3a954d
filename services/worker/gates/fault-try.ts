import type { Admission } from '../claims/feed-directory.ts';
import type { HeldSteps } from '../step/held-steps.ts';
import { releasedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CallDeps, Gate, Ruling } from './gate.ts';

/**
 * Gate for the trial call of a step with a fault. Over all workers, only one batch may make the trial call that is due.
 * A batch that takes the try postpones the next one, so this gate comes after all gates that may release the batch.
 */
export const faultTry: Gate = { name: 'fault try', call: take };

function take(work: Work, _admission: Admission, { heldSteps }: CallDeps): Ruling | Promise<Ruling> {
  return work.isProbe || work.standing.fault.current === null ? null : takeTry(work, heldSteps);
}

async function takeTry(work: Work, heldSteps: HeldSteps): Promise<Ruling> {
  return (await heldSteps.mayCall(work.standing)) ? null : releasedResult(work, 0, null);
}
