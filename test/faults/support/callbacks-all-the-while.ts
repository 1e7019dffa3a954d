import type { CallbackTrial } from './callback-trial.ts';
import { lasting } from './until.ts';

/** Has callbacks come due all the while, 50 in two seconds. @returns what ends it, when the last ones are accepted */
export function scheduleAllTheWhile(trial: CallbackTrial): () => Promise<void> {
  const ending = new AbortController();
  const scheduling = (async () => {
    while (!ending.signal.aborted) {
      await trial.schedule({ count: 50, dueInMs: 500, spreadMs: 1500 });
      await lasting(2000);
    }
  })();
  // Its failure is thrown where it is ended.
  scheduling.catch(() => undefined);
  return async () => {
    ending.abort();
    await scheduling;
  };
}
