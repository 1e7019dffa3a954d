/** Durations of the answered calls of one source, compared with their usual duration. */
export interface CallTimes {
  /** Exponentially weighted mean; 0 before the first answer. */
  readonly recentMs: number;
  /** Longest duration in milliseconds that counts as usual. */
  readonly usualMs: number;
  readonly isSlower: boolean;
  onAnswer(tookMs: number, nowMs: number): void;
}

/** A duration up to twice the usual time, plus slack for a busy machine, counts as quick. */
const slowerBy = 2;
const slackMs = 100;
const newestWeight = 0.1;
/**
 * Milliseconds in which the baseline adapts to a lasting change. If an endpoint has become slower for good, it is
 * called at the former rate again after some minutes.
 */
const baselineLastsMs = 120_000;

export function createCallTimes(): CallTimes {
  let recentMs = 0;
  let baselineMs = 0;
  let learnedAtMs = 0;

  const usualMs = () => slowerBy * baselineMs + slackMs;

  return {
    get recentMs() {
      return recentMs;
    },
    get usualMs() {
      return usualMs();
    },
    get isSlower() {
      return recentMs > usualMs();
    },
    onAnswer: (tookMs, nowMs) => {
      recentMs = recentMs === 0 ? tookMs : recentMs + newestWeight * (tookMs - recentMs);
      if (baselineMs === 0 || recentMs < baselineMs) baselineMs = recentMs;
      else baselineMs += Math.min(1, (nowMs - learnedAtMs) / baselineLastsMs) * (recentMs - baselineMs);
      learnedAtMs = nowMs;
    },
  };
}
