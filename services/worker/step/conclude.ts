import { isRefusedTooOften } from '../../../shared/domain/step/refusals.ts';
import type { FinalReading } from '../call/read-endpoint.ts';
import { refusedUsers } from '../claims/step-standing.ts';
import type { HeldSteps } from './held-steps.ts';
import type { RefusalCounts } from './refusal-counts.ts';
import { beginTrial } from './refusal-trials.ts';
import { putBackResult } from './waiting-result.ts';
import type { FinishedStep, Refusal, Work } from '../work.ts';

export interface ConcludeDeps {
  heldSteps: HeldSteps;
  refusalCounts: RefusalCounts;
}

/** What is to be recorded now; null where the table of answers decides by itself; none while a trial runs. */
type Conclusion = readonly FinishedStep[] | null;

/**
 * What an answer says of the step as a whole: it is held no longer, a person has to act, or no user was ever accepted.
 */
export async function conclude(work: Work, reading: FinalReading, deps: ConcludeDeps): Promise<Conclusion> {
  const { heldSteps } = deps;
  const { standing, actionType } = work;
  if (reading.kind === 'reported' && standing.fault.current) await heldSteps.endFault(standing);
  if (reading.kind === 'misconfigured') {
    const advice = `${actionType} refuses the call: check its configuration and the parameters of this step`;
    await heldSteps.holdForFault(standing, `${reading.cause} (${advice})`);
  }
  if (reading.kind === 'refused' && !reading.tooLarge && !work.claim.open) {
    return await concludeRefusal(work, reading, deps);
  }
  return null;
}

/** People or parameters? As long as no user was ever accepted in the step, single users are tried first. */
async function concludeRefusal(
  work: Work,
  refusal: Refusal,
  { heldSteps, refusalCounts }: ConcludeDeps,
): Promise<Conclusion> {
  const { standing } = work;
  await refusalCounts.refresh(standing);
  const held = (): FinishedStep[] => [{ work, result: putBackResult(work, 0, null) }];
  if (!standing.isAccepted) {
    if (standing.trial) {
      (work.isProbe ? standing.trial.refusedAlone : standing.trial.refused).push({ work, refusal });
      return [];
    }
    if (work.count > 1) return [beginTrial(work)];
    // With one user, trying another cannot show whether the parameters are wrong: but they were refused before.
    if (standing.fault.current) {
      await heldSteps.holdForFault(standing, standing.fault.current.cause);
      return held();
    }
  }
  if (work.count === 1) {
    standing.refusals.refusedSince++;
    const refused = refusedUsers(standing) - standing.refusedAtLift;
    if (isRefusedTooOften({ succeeded: standing.refusals.succeeded, refused }, work.type.refusedPercentLimit)) {
      await heldSteps.holdForFault(standing, `${refusal.cause} (the endpoint refused ${refused} users of this step)`);
      return held();
    }
  }
  return null;
}
