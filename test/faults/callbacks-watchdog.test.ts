import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { until } from './support/until.ts';

const logLine = z.object({ service: z.string(), err: z.object({ message: z.string() }) });

describe('a dispatcher whose claimed jobs are not called', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  it.each([
    ['no call of a claimed job begins', faultControls.claimedJobsBegin, / claimed jobs have waited for 10 s /],
    ['a flush hangs for ever', faultControls.flushesReturn, /a flush has been under way for 5 s, /],
  ])('ends and names the cause in its last log line when %s', async (_, without, cause) => {
    // The stop waits for the flush that hangs, so its deadline is short.
    trial = await startCallbackTrial({ dispatchers: 1, without, engine: { STOP_DEADLINE_MS: '2000' } });
    const dispatcher = trial.muster.services.get('dispatcher-1');
    if (!dispatcher) throw new Error('there is a dispatcher');
    await trial.schedule({ count: 20 });
    const exit = await until('the dispatcher has ended', async () => {
      return !dispatcher.running && (await dispatcher.exited);
    });
    expect(exit).toBe(1);
    const { service, err } = lastLineOf(dispatcher);
    expect(service).toBe('dispatcher');
    expect(err.message).toMatch(cause);
  });
});

/** Returns the last line that this process logged, because a restarted process logs to the same file. */
function lastLineOf({ pid, logFile }: ServiceProcess) {
  const lines = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"pid":${pid},`));
  return logLine.parse(JSON.parse(lines.at(-1) ?? '{}'));
}
