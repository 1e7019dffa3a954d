import type { CallbackTrial } from './callback-trial.ts';
import { lasting } from './until.ts';

/**
 * Schedules 50 callbacks every two seconds.
 * @returns a function that stops this, and resolves when the last jobs are accepted
 */
export function scheduleAllTheWhile(trial: CallbackTrial): () => Promise<void> {
  const ending = new AbortController();
  const scheduling = (async () => {
    while (!ending.signal.aborted) {
      await trial.schedule({ count: 50, dueInMs: 500, spreadMs: 1500 });
      await lasting(2000);
    }
  })();
  // The caller of the returned function gets the failure.
  scheduling.catch(() => undefined);
  return async () => {
    ending.abort();
    await scheduling;
  };
}
