import { isRefusedTooOften } from '../../../shared/domain/step/refusals.ts';
import type { FinalReading } from '../call/read-endpoint.ts';
import type { HeldSteps } from './held-steps.ts';
import { beginTrial } from './refusal-trials.ts';
import { putBackResult } from './waiting-result.ts';
import type { FinishedStep, Refusal, Work } from '../work.ts';

/** What is to be recorded now; null where the table of answers decides by itself; none while a trial runs. */
type Conclusion = readonly FinishedStep[] | null;

/**
 * What an answer says of the step as a whole: it is held no longer, a person has to act, or no user was ever accepted.
 */
export async function conclude(work: Work, reading: FinalReading, heldSteps: HeldSteps): Promise<Conclusion> {
  const { standing, actionType } = work;
  if (reading.kind === 'reported' && standing.hold) await heldSteps.lift(standing);
  if (reading.kind === 'misconfigured') {
    const advice = `${actionType} refuses the call: check its configuration and the parameters of this step`;
    await heldSteps.hold(standing, `${reading.cause} (${advice})`);
  }
  if (reading.kind === 'refused' && !reading.tooLarge && !work.claim.open) {
    return await concludeRefusal(work, reading, heldSteps);
  }
  return null;
}

/** People or parameters? As long as no user was ever accepted in the step, single users are tried first. */
async function concludeRefusal(work: Work, refusal: Refusal, heldSteps: HeldSteps): Promise<Conclusion> {
  const { standing } = work;
  const held = (): FinishedStep[] => [{ work, result: putBackResult(work, 0, null) }];
  if (!standing.isAccepted) {
    if (standing.trial) {
      (work.isProbe ? standing.trial.refusedAlone : standing.trial.refused).push({ work, refusal });
      return [];
    }
    if (work.count > 1) return [beginTrial(work)];
    // With one user, trying another cannot show whether the parameters are wrong: but they were refused before.
    if (standing.hold) {
      await heldSteps.hold(standing, standing.hold.cause);
      return held();
    }
  }
  if (work.count === 1) {
    standing.refusedSince++;
    const refused = standing.refused + standing.refusedSince - standing.refusedAtLift;
    if (isRefusedTooOften({ succeeded: standing.succeeded, refused }, work.type.refusedPercentLimit)) {
      await heldSteps.hold(standing, `${refusal.cause} (the endpoint refused ${refused} users of this step)`);
      return held();
    }
  }
  return null;
}
