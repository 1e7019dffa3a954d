import { reasons } from '../../../shared/domain/step/reasons.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { releasedResult, withheldResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/**
 * Gate for quiet hours, in which an action type calls no users of a country. Depending on the rule, the users end, or
 * the step is held until the end of the hours, so that its waiting batches cause no work. If a call may have been made
 * before, the gate only delays the batch, and its outcome is found out afterwards.
 */
export const quietHoursGate: Gate = {
  name: 'quiet hours',
  check: decide,
  call: decide,
  nextStep: ({ context, claim }, { directory, quietHours }) => {
    if (quietHours.of(context.chain[claim.step]?.action ?? '', context.country)) return true;
    return directory.standingOf(context.feedId, claim.step + 1).quietHours.current !== null;
  },
  withholds: (step, { directory, quietHours }) => {
    if (quietHours.isEmpty) return false;
    const country = directory.contextOf(step.feedId)?.country ?? '';
    return quietHours.of(directory.actionTypeOf(step) ?? '', country)?.then === 'drop';
  },
};

function decide(work: Work, _admission: Admission, deps: CheckDeps): Ruling | Promise<Ruling> {
  const quiet = deps.quietHours.of(work.actionType, work.context.country);
  if (quiet === null) return work.standing.quietHours.current === null ? null : endHold(work, deps);
  const { untilMs, cause } = quiet;
  // If the step has a fault, its batches wait for a person anyway, so quiet hours must not drop their users.
  const then = work.standing.fault.current === null ? quiet.then : 'wait';
  if (then === 'drop' && !work.claim.open) return dropAll(work, cause);
  const delayMs = Math.max(0, untilMs - deps.clock.now().getTime());
  return then === 'drop' ? releasedResult(work, delayMs, cause) : holdUntil(work, cause, delayMs, deps);
}

async function endHold({ standing }: Work, { heldSteps }: CheckDeps): Promise<null> {
  await heldSteps.endQuietHours(standing);
  return null;
}

function dropAll(work: Work, cause: string): Ruling {
  const failures = usersOf(work.users).map((user): UserFailure => {
    return { user, outcome: 'suppressed', reason: reasons.quietHours, detail: cause };
  });
  return withheldResult(work, failures, false);
}

async function holdUntil(work: Work, cause: string, delayMs: number, { heldSteps }: CheckDeps): Promise<Ruling> {
  const { current } = work.standing.quietHours;
  // A hold from the evening before may still be stored although its time is over, if the run was paused and the hold
  // was not lifted.
  if (current?.cause !== cause || current.tryDue) await heldSteps.holdForQuietHours(work.standing, cause, delayMs);
  return { ...releasedResult(work, delayMs, null), whileHeld: true };
}
