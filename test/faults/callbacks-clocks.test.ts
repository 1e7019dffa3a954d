import { afterEach, describe, expect, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { wrongBy } from './support/wrong-clock.ts';

const hourMs = 3_600_000;

describe('row 32: process clocks that are an hour wrong, for callbacks', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  it('have no effect on due times, claims and signatures, which use the clock of the database', async () => {
    trial = await startCallbackTrial({
      engineOf: {
        api: wrongBy(-hourMs),
        'scheduler-1': wrongBy(hourMs),
        'scheduler-2': wrongBy(-hourMs),
        'dispatcher-1': wrongBy(hourMs),
        'dispatcher-2': wrongBy(-hourMs),
      },
    });
    const over = trial.injections.begin('clock wrong', 'an hour either way');
    await trial.receiver.behave({ slow: { latencyMs: 300 } });
    await trial.schedule({ count: 1000, path: 'slow', dueInMs: 2000, spreadMs: 6000 });
    await trial.awaitCalls(200);
    const open = await trial.database.count('select 1 from job_claims');
    // Another dispatcher takes over the claims of the killed dispatcher when their lease ends, not an hour earlier or
    // later.
    await trial.kill('dispatcher-1');
    await trial.restart('dispatcher-1');
    await trial.awaitEnded(60_000);
    over();

    const verdict = { rows: '32', scenario: 'clocks wrong, callbacks', allow: { doubled: open } };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });
});
