import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { faultControls } from '../mutations/fault-controls.ts';
import { calledWithinMs, startFrozenCallbacks, type FrozenCallbacks } from './support/frozen-callbacks.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';

describe('row 67: callbacks after a freeze (control)', () => {
  let postgres: OwnPostgres;
  let callbacks: FrozenCallbacks;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterEach(async () => {
    postgres.thaw();
    await callbacks.trial.end();
  });
  afterAll(() => postgres.end());

  it('are called late if claimed jobs wait for an event without a time-out, until the watchdog ends the process', async () => {
    callbacks = await startFrozenCallbacks(postgres, 1, faultControls.claimedJobsHaveAClock);
    expect((await callbacks.freezeInClaim(5)).latestMs).toBeGreaterThan(calledWithinMs);
  });

  it('are called late if the slots of many clients are acquired one by one', async () => {
    callbacks = await startFrozenCallbacks(postgres, 2, faultControls.slotsAreTakenTogether);
    expect((await callbacks.freezeInStream('Postgres', 4)).latestMs).toBeGreaterThan(calledWithinMs);
  });
});
