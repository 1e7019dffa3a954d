import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { watchClaims } from './support/claim-waits.ts';
import { calledWithinMs, startFrozenCallbacks, type FrozenCallbacks, type Thawed } from './support/frozen-callbacks.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';

/** A claimed job is released after two seconds without a slot; beats come every second or two. */
const longestWaitMs = 5000;

describe('row 67: callbacks of 100 clients of concurrency 1 and of 100 ordering keys', () => {
  let postgres: OwnPostgres;
  let callbacks: FrozenCallbacks;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    callbacks = await startFrozenCallbacks(postgres, 2);
  });
  afterEach(() => postgres.thaw());
  afterAll(async () => {
    await callbacks.trial.end();
    await postgres.end();
  });

  /**
   * @param isTakenForDead true if the jobs of a frozen dispatcher may be called again, because its last heartbeat may
   * be ten seconds old
   */
  async function judge(scenario: string, freeze: () => Promise<Thawed>, isTakenForDead = false): Promise<void> {
    const { trial } = callbacks;
    const claims = watchClaims(trial.database);
    const { latestMs, open } = await freeze().finally(() => claims.end());
    const waitMs = claims.longestWaitMs();
    const measured = { 'latest call ms': latestMs, 'longest wait without a call ms': waitMs };
    const allow = { doubled: isTakenForDead ? open : 0 };
    expect(await trial.judgeCallbacks({ rows: '67', scenario, measured, allow })).toEqual([]);
    expect(latestMs).toBeLessThan(calledWithinMs);
    expect(waitMs).toBeLessThan(longestWaitMs);
  }

  it.each([
    ['Postgres', 4],
    ['Postgres', 9],
    ['dispatcher-1', 3],
  ])('are called once, within 10 s after %s was frozen for %i s', async (target, seconds) => {
    await judge(`${target} frozen for ${seconds} s`, () => callbacks.freezeInStream(target, seconds));
  });

  it('are called once, within 10 s after Postgres was frozen for 5 s during a claim of a single dispatcher', async () => {
    await callbacks.trial.stop('dispatcher-2');
    try {
      await judge('Postgres frozen in a claim', () => callbacks.freezeInClaim(5));
    } finally {
      await callbacks.trial.restart('dispatcher-2');
    }
  });

  it('are called within 10 s after one of two dispatchers was frozen for 9 s', async () => {
    await judge('dispatcher-1 frozen for 9 s', () => callbacks.freezeInStream('dispatcher-1', 9), true);
  });
});
