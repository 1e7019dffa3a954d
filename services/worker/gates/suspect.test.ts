import { describe, expect, it } from 'vitest';
import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf } from '../../../test/support/worker-fixture.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 86_400 };

describe('a batch with several lapsed leases', () => {
  it('is never called at the same time as another such batch, and all such batches are served in the end', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows } = await createRunningWorker();
    let suspectsInFlight = 0;
    let mostSuspects = 0;
    let mostInFlight = 0;
    let inFlight = 0;
    endpoint.answer = async ({ call }) => {
      const isSuspect = call.users[0]?.startsWith('s') === true;
      suspectsInFlight += Number(isSuspect);
      mostSuspects = Math.max(mostSuspects, suspectsInFlight);
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      await clock.sleep(300);
      suspectsInFlight -= Number(isSuspect);
      inFlight--;
      return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
    };
    const { runId, steps, totals } = await feed([['s1'], ['s2'], ['s3'], ['s4']], { ...oneStep, refsPerMessage: 10 });
    await passTime(clock, 0);
    // The rows look as if another worker had claimed the steps, begun their calls, and been killed.
    for (const row of stepRows(1)) {
      row.owner = 'gone';
      row.epoch++;
      row.lapses = aloneFromLapses - 1;
      row.begun = true;
    }
    await passTime(clock, 40_000);
    mostSuspects = 0;
    await feed(
      Array.from({ length: 30 }, (_, batch) => [`o${batch}`]),
      oneStep,
    );
    for (let round = 0; round < 20; round++) {
      await sweepOverdue(runId);
      await passTime(clock, 1000);
    }
    expect(steps).toHaveLength(4);
    expect(totals()).toMatchObject([{ succeeded: 4 }]);
    expect(mostSuspects).toBe(1);
    expect(mostInFlight).toBeGreaterThan(1);
  });

  it("is never called at the same time as another such batch, even if another worker makes the fault's trial call", async () => {
    let tries = 0;
    const world = await createRunningWorker({}, ({ holds }) => ({
      holds: { ...holds, mayTry: async (ref, everyMs) => (await holds.mayTry(ref, everyMs)) && ++tries > 1 },
    }));
    const { clock, endpoint, feed, sweepOverdue, stepRows, workerDeps } = world;
    const { answer } = endpoint;
    endpoint.answer = () => clock.sleep(300).then(() => answerOf([]));
    const { runId, feedId, totals } = await feed([['s1'], ['s2']], oneStep);
    await passTime(clock, 0);
    for (const row of stepRows(1)) {
      row.owner = 'gone';
      row.epoch++;
      row.lapses = aloneFromLapses - 1;
      row.begun = true;
    }
    endpoint.answer = answer;
    await workerDeps('a').holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'award-reward answers 404' }]);
    for (let round = 0; round < 120; round++) {
      await sweepOverdue(runId);
      await passTime(clock, 1000);
    }
    expect(tries).toBeGreaterThan(1);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });
});
