import { canaryReason } from '../../../shared/domain/run/canary.ts';
import { isBalanced } from '../../../shared/domain/step/outcomes.ts';
import { linesOf } from '../end/run-ending.ts';
import { endedIn, percentInWords } from './auto-pause.ts';
import type { RunTally } from '../ports/run-store.ts';

/**
 * Result of a canary.
 * - `goes-on`: the share of failed canary users is within the limit.
 * - `waits`: the run waits for a person.
 */
export type CanaryEnd = { kind: 'goes-on'; summary: string } | { kind: 'waits'; cause: string };

/**
 * Returns how a run continues after all users of its canary have ended. Returns null before that, and if the run has no
 * other users.
 */
export function canaryEnd(tally: RunTally): CanaryEnd | null {
  const { canary, state, feeds } = tally;
  if (!canary || state !== 'running' || feeds.every(({ complete }) => complete)) return null;
  const isFed = feeds.every(
    ({ complete, fedUsers, heldOutUsers, canaryUsers }) =>
      complete || (canaryUsers !== null && fedUsers - heldOutUsers >= canaryUsers),
  );
  if (!isFed || linesOf(tally).some((line) => !isBalanced(line) || line.pending > 0)) return null;

  const { step, ended, failed } = worstStep(tally);
  const next = canary.isChoice ? '; a person has to choose a variant' : '';
  if (ended === 0) return { kind: 'waits', cause: `${canaryReason}: there was nobody in it${next}` };
  const users = `${usersOf(tally).toLocaleString('en-US')} users have ended`;
  const share = `${percentInWords((failed * 100) / ended)} failed in step ${step}`;
  const summary = failed === 0 ? `${users}, none failed` : `${users}, ${share}`;
  if (canary.maxFailedPercent === null) return { kind: 'waits', cause: `${canaryReason}: ${summary}${next}` };
  if (failed * 100 <= canary.maxFailedPercent * ended) return { kind: 'goes-on', summary };
  return { kind: 'waits', cause: `${canaryReason}: ${summary}, limit ${percentInWords(canary.maxFailedPercent)}` };
}

function usersOf({ feeds }: RunTally): number {
  return feeds.reduce((sum, { fedUsers, heldOutUsers }) => sum + fedUsers - heldOutUsers, 0);
}

function worstStep({ chain, feeds }: RunTally) {
  const totals = feeds.flatMap((feed) => feed.totals);
  const steps = chain.map((_, index) => endedIn(index + 1, totals));
  const none = { step: 1, ended: 0, failed: 0 };
  return steps.reduce((worst, each) => (shareOf(each) > shareOf(worst) ? each : worst), steps[0] ?? none);
}

function shareOf({ ended, failed }: { ended: number; failed: number }): number {
  return ended === 0 ? 0 : failed / ended;
}
