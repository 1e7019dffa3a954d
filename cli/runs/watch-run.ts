import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getRunProgress } from '../../sdk/generated/sdk.gen.ts';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { isTerminal, type RunState } from '../../shared/domain/run/run-states.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { ApiUnavailable } from '../api/failures.ts';
import { patienceMs } from '../api/patient-fetch.ts';
import { latestRun } from './run-of.ts';

const pollMs = 250;

export interface WatchDeps {
  client: Client;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Waits for the newest run of a campaign. Undefined if the signal aborts first.
 * @param beforePoll called before each poll except the first; returns the pause before that poll in milliseconds
 */
export async function awaitRun(
  campaignId: string,
  { client, clock, signal }: WatchDeps,
  beforePoll: () => Promise<number> | number = () => pollMs,
): Promise<string | undefined> {
  let answeredMs = clock.monotonicMs();
  while (!signal.aborted) {
    try {
      const runId = await latestRun(campaignId, client);
      answeredMs = clock.monotonicMs();
      if (runId !== undefined) return runId;
    } catch (error) {
      if (!(error instanceof ApiUnavailable) || clock.monotonicMs() - answeredMs > patienceMs) throw error;
    }
    await clock.sleep(await beforePoll(), signal);
  }
  return undefined;
}

/** Calls `show` with each progress of the run until it has ended. Returns the last progress. */
export async function watchRun(
  runId: string,
  { client, clock, signal }: WatchDeps,
  show: (progress: RunProgress) => void,
): Promise<RunProgress | undefined> {
  let last: RunProgress | undefined;
  let answeredMs = clock.monotonicMs();
  while (!signal.aborted) {
    try {
      last = (await getRunProgress({ client, path: { id: runId } })).data;
      answeredMs = clock.monotonicMs();
      show(last);
      if (isTerminal(last.state)) return last;
    } catch (error) {
      if (!(error instanceof ApiUnavailable) || clock.monotonicMs() - answeredMs > patienceMs) throw error;
    }
    await clock.sleep(pollMs, signal);
  }
  return last;
}

/** Returns the exit code of a run. Failed users are a result, not an error; a run that did not complete is an error. */
export function exitCodeOf(state: RunState): ExitCode {
  return state === 'failed' || state === 'expired' || state === 'cancelled' ? exitCodes.runNotCompleted : exitCodes.ok;
}
