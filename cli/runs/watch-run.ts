import type { RunProgress } from '../../shared/contracts/runs/runs.ts';
import { isTerminal, type RunState } from '../../shared/domain/run/run-states.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { ApiUnavailable, type Answer } from '../api/api-answers.ts';
import type { ApiClient } from '../api/api-client.ts';
import { patienceMs } from '../api/exchange.ts';

const pollMs = 250;

export interface WatchDeps {
  api: ApiClient;
  clock: Clock;
  /** Ends the watching; the run goes on. */
  signal: AbortSignal;
}

/**
 * The newest run of a campaign, as soon as there is one. Undefined when the watching was ended before.
 * @param beforeLook called before each look but the first; what it returns is the pause before that look, in milliseconds
 */
export async function awaitRun(
  campaignId: string,
  { api, clock, signal }: WatchDeps,
  beforeLook: () => Promise<number> | number = () => pollMs,
): Promise<string | undefined> {
  let answeredMs = clock.monotonicMs();
  while (!signal.aborted) {
    try {
      const runId = await api.latestRun(campaignId);
      answeredMs = clock.monotonicMs();
      if (runId !== undefined) return runId;
    } catch (error) {
      if (!(error instanceof ApiUnavailable) || clock.monotonicMs() - answeredMs > patienceMs) throw error;
    }
    await clock.sleep(await beforeLook(), signal);
  }
  return undefined;
}

/** Calls `show` with every look at the run until it has ended, and returns the last one. */
export async function watchRun(
  runId: string,
  { api, clock, signal }: WatchDeps,
  show: (progress: Answer<RunProgress>) => void,
): Promise<RunProgress | undefined> {
  let last: RunProgress | undefined;
  let answeredMs = clock.monotonicMs();
  while (!signal.aborted) {
    try {
      const answer = await api.progress(runId);
      answeredMs = clock.monotonicMs();
      last = answer.value;
      show(answer);
      if (isTerminal(last.state)) return last;
    } catch (error) {
      if (!(error instanceof ApiUnavailable) || clock.monotonicMs() - answeredMs > patienceMs) throw error;
    }
    await clock.sleep(pollMs, signal);
  }
  return last;
}

/** Users that failed are a result, not an error; a run that was not carried out to its end is one. */
export function exitCodeOf(state: RunState): ExitCode {
  return state === 'failed' || state === 'expired' || state === 'cancelled' ? exitCodes.runNotCompleted : exitCodes.ok;
}
