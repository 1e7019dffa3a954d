import type { TierSummary } from './results.ts';

/** One line for each tier, and the sum in the words that CI counts by. */
export function renderTiers(tiers: readonly TierSummary[]): string {
  const lines = tiers.map(({ tier, passed, failed, skipped, minutes }) => {
    const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    return `${tier.padEnd(12)} ${minutes.toFixed(1).padStart(5)} min   ${counts}`;
  });
  const notReached = tiers.flatMap(({ notReached: files }) => files.map((file) => `not reached: ${file}`));
  const sum = (of: 'passed' | 'failed') => tiers.reduce((total, tier) => total + tier[of], 0);
  return [...lines, ...notReached, `${sum('passed')} passed, ${sum('failed')} failed`].join('\n');
}
