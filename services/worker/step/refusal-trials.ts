import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import type { HeldSteps } from './held-steps.ts';
import { splitResult } from './done-result.ts';
import { refusedResult } from './result-of-answer.ts';
import { putBackResult, type ResultTerms } from './waiting-result.ts';
import { noteAttempt } from './note-attempt.ts';
import type { FinishedStep, Refusal, Work } from '../work.ts';

/** What a trial's end means for those that waited for it. */
export interface TrialVerdict {
  finished: FinishedStep[];
  /** To be called now. */
  again: Work[];
}

const maxProbes = 2;

/** Splits a refused batch: two users to be tried alone, and the others, who wait. */
export function beginTrial(work: Work): FinishedStep {
  const users = usersOf(work.users);
  const probes = Math.min(maxProbes, users.length);
  const singles = users.slice(0, probes).map((user) => [user]);
  const result = splitResult(work, [...singles, users.slice(probes)]);
  work.standing.trial = { begunBy: result, probes, probesLeft: probes, refusedAlone: [], refused: [], parked: [] };
  return { work, result };
}

/**
 * One of the single users is through. With the last of them, the others go on: bisected where a user was accepted, back
 * and held where all were refused and no user ever succeeded.
 */
export async function endProbe(
  { standing }: Work,
  { heldSteps, terms }: { heldSteps: HeldSteps; terms: ResultTerms },
): Promise<TrialVerdict> {
  const { trial } = standing;
  if (!trial || --trial.probesLeft > 0) return { finished: [], again: [] };
  standing.trial = null;
  const { refusedAlone, refused, parked } = trial;
  const [first] = refusedAlone;
  const refusedWorks = [...refusedAlone, ...refused];
  if (standing.isAccepted) {
    return {
      finished: refusedWorks.map(({ work, refusal }) => finish(work, refusal, refusedResult(work, refusal, terms))),
      again: parked,
    };
  }
  if (first && refusedAlone.length === trial.probes) {
    await heldSteps.holdForFault(standing, `${first.refusal.cause} (the endpoint refuses the parameters of this step)`);
  }
  const back = (work: Work) => putBackResult(work, 0, null);
  const calledBack = refusedWorks.map(({ work, refusal }) => finish(work, refusal, back(work)));
  return { finished: [...calledBack, ...parked.map((work) => ({ work, result: back(work) }))], again: [] };
}

function finish(work: Work, { cause }: Refusal, result: StepResult): FinishedStep {
  noteAttempt(result, { kind: 'refused', cause });
  return { work, result };
}
