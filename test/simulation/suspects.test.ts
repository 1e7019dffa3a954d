import { describe, expect, it } from 'vitest';
import { quarantinedAfterLapses } from '../../shared/postgres/ledger/ledger-codes.ts';
import { answerOf } from '../support/worker-fixture.ts';
import { createChance } from './seeded.ts';
import { batchesOf, startThreeWorkers } from './three-workers.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 86_400 };
const type = { class: 'A', timeoutMs: 5000, concurrency: 20 } as const;

describe('workers of which one in three is killed every two and a half seconds', () => {
  it.each([1, 2, 3, 4])('quarantine no step and finish everything in the end (seed %i)', async (seed) => {
    const chance = createChance(seed);
    const world = await startThreeWorkers({ type, concurrency: 24 });
    const { clock, endpoint, workers, start, pass, stepRows } = world;
    endpoint.answer = async ({ call }) => {
      // The machine is busy: calls take long, and are often interrupted.
      await clock.sleep(400 + chance.below(1800));
      return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
    };
    const run = await world.feed(batchesOf('u', 500), oneStep);
    for (let kill = 0; kill < 100; kill++) {
      await pass(2500, [run.runId]);
      const alive = workers.filter(({ faults }) => !faults.dead);
      chance.pick(alive).kill();
      await start(`again-${kill}`);
    }
    const lapses = stepRows(1).map((row) => row.lapses);
    // Many steps lost their worker at least once, so the test was hard enough.
    expect(lapses.filter((count) => count > 0).length).toBeGreaterThan(20);
    await pass(300_000, [run.runId]);
    expect(Math.max(...stepRows(1).map((row) => row.lapses))).toBeLessThan(quarantinedAfterLapses);
    expect(run.totals()).toMatchObject([{ succeeded: 500 }]);
  });
});
