import { reasons } from '../../../shared/domain/step/reasons.ts';
import { isRefusedTooOften } from '../../../shared/domain/step/refusals.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { AttemptNote, ChildBatch, StepResult, ReportedUsers } from '../../../shared/ports/step-ledger.ts';
import type { FinalReading, Refusal, ReportedReading } from '../endpoint/read-answer.ts';
import type { HeldSteps } from '../step/held-steps.ts';
import type { RefusalCounts } from '../step/refusal-counts.ts';
import { releasedResult, refusedResult, splitResult, type ResultTerms } from '../step/step-results.ts';
import { refusedUsers } from '../step/step-state.ts';
import type { FinishedStep, Work } from '../step/work.ts';

/** Maximum number of users of a refused batch that are tried alone. */
const maxProbes = 2;

export interface ConcludeDeps {
  heldSteps: HeldSteps;
  refusalCounts: RefusalCounts;
}

/**
 * Results to record now. Null: the answer is handled in the ordinary way. Empty: the step waits for the end of a trial.
 */
type Conclusion = readonly FinishedStep[] | null;

/**
 * Handles an answer about the whole step: ends its hold, holds it until a person acts, or starts a trial of single
 * users.
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

/**
 * Decides whether the endpoint refuses the users or the parameters. If the endpoint has not accepted a user of this
 * step yet, single users are tried first.
 */
async function concludeRefusal(
  work: Work,
  refusal: Refusal,
  { heldSteps, refusalCounts }: ConcludeDeps,
): Promise<Conclusion> {
  const { standing } = work;
  await refusalCounts.refresh(standing);
  const held = (): FinishedStep[] => [{ work, result: releasedResult(work, 0, null) }];
  if (!standing.isAccepted) {
    if (standing.trial) {
      (work.isProbe ? standing.trial.refusedAlone : standing.trial.refused).push({ work, refusal });
      return [];
    }
    if (work.count > 1) return [beginTrial(work)];
    // The refusal of a single user does not show whether the parameters are wrong. The step already has a fault, so it
    // is held again.
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

interface TrialVerdict {
  finished: FinishedStep[];
  again: Work[];
}

/**
 * Splits a refused batch into up to two single users, who are tried first, and the remaining users, who wait for the
 * outcome.
 */
function beginTrial(work: Work): FinishedStep {
  const users = usersOf(work.users);
  const probes = Math.min(maxProbes, users.length);
  const singles = users.slice(0, probes).map((user) => [user]);
  const result = splitResult(work, [...singles, users.slice(probes)]);
  work.standing.trial = { begunBy: result, probes, probesLeft: probes, refusedAlone: [], refused: [], waiting: [] };
  return { work, result };
}

/**
 * Records that one single user of a trial has been tried. After the last one, the batches that wait for the trial
 * continue. If a user was accepted, refused batches are bisected. If all single users were refused, the step is held,
 * and the batches are released.
 */
export async function endProbe(
  { standing }: Work,
  { heldSteps, terms }: { heldSteps: HeldSteps; terms: ResultTerms },
): Promise<TrialVerdict> {
  const { trial } = standing;
  if (!trial || --trial.probesLeft > 0) return { finished: [], again: [] };
  standing.trial = null;
  const { refusedAlone, refused, waiting } = trial;
  const [first] = refusedAlone;
  const refusedWorks = [...refusedAlone, ...refused];
  if (standing.isAccepted) {
    return {
      finished: refusedWorks.map(({ work, refusal }) => finish(work, refusal, refusedResult(work, refusal, terms))),
      again: waiting,
    };
  }
  if (first && refusedAlone.length === trial.probes) {
    await heldSteps.holdForFault(standing, `${first.refusal.cause} (the endpoint refuses the parameters of this step)`);
  }
  const released = (work: Work) => releasedResult(work, 0, null);
  const called = refusedWorks.map(({ work, refusal }) => finish(work, refusal, released(work)));
  return { finished: [...called, ...waiting.map((work) => ({ work, result: released(work) }))], again: [] };
}

function finish(work: Work, { cause }: Refusal, result: StepResult): FinishedStep {
  noteAttempt(result, { kind: 'refused', cause });
  return { work, result };
}

interface WholeReading {
  kind: 'refused' | 'misconfigured' | 'not-applied' | 'ambiguous';
  cause: string;
}

/**
 * Adds the answer to a call to a result, as a note. A result that is done without child batches gets no note, because
 * its outcomes already show the answer.
 */
export function noteAttempt(result: StepResult, reading: FinalReading | WholeReading): void {
  const children = result.state === 'done' ? result.children : null;
  if (children?.length === 0) return;
  result.note = reading.kind === 'reported' ? noteOfUsers(reading, children) : noteOfWhole(reading);
}

function noteOfWhole({ kind, cause }: WholeReading): AttemptNote {
  return { reading: kind, cause, users: [] };
}

/** @param children null if the whole batch waits, because the answer reported on no user */
function noteOfUsers({ failed, missing }: ReportedReading, children: readonly ChildBatch[] | null): AttemptNote {
  if (!children) return { reading: 'missing', cause: null, users: [] };
  const goingOn = new Set(children.flatMap(({ users }) => users));
  const reported = [
    ...failed.map(({ id, code, detail }) => ({ id, code, detail })),
    ...missing.map((id) => ({ id, code: reasons.noResult, detail: null })),
  ].filter(({ id }) => goingOn.has(id));
  const groups = Map.groupBy(reported, ({ code, detail }) => JSON.stringify([code, detail]));
  const users = [...groups.values()].flatMap((group): ReportedUsers[] => {
    const [first] = group;
    return first ? [{ code: first.code, detail: first.detail, users: group.map(({ id }) => id) }] : [];
  });
  return { reading: 'reported', cause: null, users };
}
