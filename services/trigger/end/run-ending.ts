import { isBalanced, stepLines, type StepLine, type StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { FeedCount, RunEnding, RunTally } from '../ports/run-store.ts';

export function linesOf(tally: RunTally): StepLine[] {
  return tally.feeds.flatMap(({ fedUsers, heldOutUsers, totals, fromStep }) =>
    stepLines(fedUsers, totals, tally.chain.length, heldOutUsers, fromStep),
  );
}

/**
 * Returns the state in which the run ends, with the reason. Returns null while users are pending, or while the audience
 * is not fed completely and the deadline has not passed.
 */
export function endingOf(tally: RunTally): RunEnding | null {
  const lines = linesOf(tally);
  const isFed = tally.feeds.every((feed) => feed.complete);
  const isCancelled = tally.state === 'cancelling';
  if (!isFed && !isCancelled && tally.overdueMs < 0) return null;
  if (lines.some((line) => !isBalanced(line) || line.pending > 0)) return null;
  if (isCancelled) {
    const reasons = [tally.stateReason, unknownReason(sumOf(lines, 'unknown'))].filter((reason) => reason !== null);
    return { state: 'cancelled', reason: reasons.length > 0 ? reasons.join('; ') : null };
  }

  const expired = sumOf(lines, 'expired');
  const unknown = sumOf(lines, 'unknown');
  const ambiguous = unknownReason(unknown);
  const reasons = [
    ...(isFed ? [] : ['the deadline passed before all of the audience was fed']),
    ...(expired > 0 ? [`the deadline passed before ${usersInWords(expired)} could be served`] : []),
    ...(ambiguous === null ? [] : [ambiguous]),
  ];
  const reason = reasons.length > 0 ? reasons.join('; ') : null;
  if (!isFed || expired > 0) return { state: 'expired', reason };
  const hasFailures = sumOf(lines, 'failed') + unknown + sumOf(lines, 'cancelled') > 0;
  return { state: hasFailures ? 'completed_with_failures' : 'completed', reason };
}

/**
 * Returns the differences between the stored totals and the recounted ones, as `feed, step, count: summed, counted`.
 */
export function differences(tally: RunTally, counted: readonly FeedCount[]): string[] {
  return tally.feeds.flatMap(({ feedId, totals }) => {
    const recounted = counted.find((other) => other.feedId === feedId)?.totals ?? [];
    return tally.chain.flatMap((_, index) => {
      const step = index + 1;
      const [a, b] = [countsOf(totals, step), countsOf(recounted, step)];
      return counts
        .filter((count) => a[count] !== b[count])
        .map((count) => `${feedId}, step ${step}, ${count}: ${a[count]}, ${b[count]}`);
    });
  });
}

const counts = ['batches', 'succeeded', 'failed', 'expired', 'cancelled', 'unknown'] as const;

function countsOf(totals: readonly StepTotals[], step: number): StepTotals {
  const none: StepTotals = { step, batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0 };
  return totals.find((line) => line.step === step) ?? none;
}

function sumOf(lines: readonly StepLine[], outcome: 'failed' | 'expired' | 'cancelled' | 'unknown'): number {
  return lines.reduce((sum, line) => sum + line[outcome], 0);
}

function unknownReason(unknown: number): string | null {
  return unknown === 0 ? null : `the outcome of ${usersInWords(unknown)} is unknown`;
}

/**
 * Formats a number of users that was summed over steps. The sum counts each user once, because the steps after an
 * unknown or expired one skip the user.
 */
function usersInWords(users: number): string {
  return users === 1 ? '1 user' : `${users} users`;
}
