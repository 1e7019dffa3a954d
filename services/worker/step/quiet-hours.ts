import { isQuietCause, quietAt, type QuietNow, type QuietRule } from '../../../shared/domain/run/quiet-hours.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepResult, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Work } from '../work.ts';
import type { HeldSteps } from './held-steps.ts';
import { putBackResult } from './waiting-result.ts';
import { withheldResult } from './withheld-result.ts';

/** What was found out is good for so long: it is asked before every call. */
const goodForMs = 1000;

/** The quiet hours of this moment. */
export interface QuietHours {
  /** There are no rules at all. */
  readonly isEmpty: boolean;
  /** Null where it is not quiet. */
  of(actionType: string, country: string): QuietNow | null;
  /** These, from now on. */
  follow(rules: readonly QuietRule[]): void;
}

export function createQuietHours(first: readonly QuietRule[], clock: Clock): QuietHours {
  let rules = first;
  const known = new Map<string, { quiet: QuietNow | null; atMs: number }>();
  return {
    get isEmpty() {
      return rules.length === 0;
    },
    of: (actionType, country) => {
      if (rules.length === 0) return null;
      const key = `${actionType}/${country}`;
      const atMs = clock.now().getTime();
      const before = known.get(key);
      if (before && atMs >= before.atMs && atMs - before.atMs < goodForMs && isSame(before.quiet, atMs)) {
        return before.quiet;
      }
      const quiet = quietAt(rules, { actionType, country }, atMs);
      known.set(key, { quiet, atMs });
      return quiet;
    },
    follow: (next) => {
      rules = next;
      known.clear();
    },
  };
}

function isSame(quiet: QuietNow | null, atMs: number): boolean {
  return quiet === null || atMs < quiet.untilMs;
}

export interface QuietHoursDeps {
  heldSteps: HeldSteps;
  clock: Clock;
}

/**
 * What becomes of a claimed step in quiet hours: its users are not called at all, or its feed's step is held until the
 * end, so that what waits costs nothing meanwhile. A call that may have been made before is settled after the end.
 */
export async function quietResult(
  work: Work,
  { then, untilMs, cause }: QuietNow,
  { heldSteps, clock }: QuietHoursDeps,
): Promise<StepResult> {
  if (then === 'drop' && !work.claim.open) {
    const failures = usersOf(work.users).map((user): UserFailure => {
      return { user, outcome: 'suppressed', reason: reasons.quietHours, detail: cause };
    });
    return withheldResult(work, failures, false);
  }
  const delayMs = Math.max(0, untilMs - clock.now().getTime());
  if (then === 'drop') return putBackResult(work, delayMs, cause);
  const { hold } = work.standing;
  if (hold?.cause !== cause) await heldSteps.hold(work.standing, cause, delayMs);
  return { ...putBackResult(work, delayMs, null), whileHeld: true };
}

/** Quiet hours that are over hold nothing any more. */
export function isHeldByHours({ standing: { hold } }: Work): boolean {
  return hold !== null && isQuietCause(hold.cause);
}
