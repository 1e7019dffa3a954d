import type { EndedUsers, RunTally } from '../ports/run-store.ts';

/**
 * Returns the cause for which a run must pause by itself; null if it need not. A run pauses if in one of its steps,
 * over all countries, the share of failed and unknown users exceeds the run's limit. Only users that ended since the
 * last resumption count.
 */
export function failureCause({ pauseAtFailed, failureBaseline, chain, feeds }: RunTally): string | null {
  if (!pauseAtFailed) return null;
  const totals = feeds.flatMap((feed) => feed.totals);
  for (const step of chain.map((_, index) => index + 1)) {
    const before = failureBaseline.find((judged) => judged.step === step) ?? { ended: 0, failed: 0 };
    const now = endedIn(step, totals);
    const [ended, failed] = [now.ended - before.ended, now.failed - before.failed];
    if (ended < pauseAtFailed.minUsers || failed * 100 <= pauseAtFailed.percent * ended) continue;
    const share = percentInWords((failed * 100) / ended);
    return `${share} of ${ended.toLocaleString('en-US')} users failed in step ${step}, limit ${percentInWords(pauseAtFailed.percent)}`;
  }
  return null;
}

export function endedIn(step: number, totals: RunTally['feeds'][number]['totals']): EndedUsers {
  const sum = { step, ended: 0, failed: 0 };
  for (const line of totals) {
    if (line.step !== step) continue;
    sum.ended += line.succeeded + line.failed + line.unknown;
    sum.failed += line.failed + line.unknown;
  }
  return sum;
}

/**
 * Formats a percentage. Below 10, it has one decimal place, so that 5.4 % at a limit of 5 % does not look equal to the
 * limit.
 */
export function percentInWords(percent: number): string {
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)} %`;
}
