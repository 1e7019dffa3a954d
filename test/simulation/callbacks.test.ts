import { describe, expect, it } from 'vitest';
import type { CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import type { DueReferences } from '../../services/scheduler/ports/due-references.ts';
import { callLeaseMs, runCallbacks, wellAnswer, type CallbackScenario, type ProcessKind } from './callback-world.ts';
import { createMemoryCallLedger } from '../support/memory/call-ledger.ts';
import { faultyFates, type Fate, type PortCall } from './process-faults.ts';
import { createChance } from './seeded.ts';

const failing: CallbackAnswer = { kind: 'answered', status: 503, retryAfterMs: null, body: Buffer.alloc(0) };

/** All kinds of trouble at once, for twenty seconds. */
function troubled(seed: number): CallbackScenario {
  const chance = createChance(seed);
  return {
    ...{ chance, jobs: 25, faultsLastMs: 20_000 },
    fateOf: () => (chance.happens(0.004) ? chance.pick(faultyFates) : 'pass'),
    messageFate: () => (chance.happens(0.1) ? chance.pick(['drop', 'duplicate'] as const) : 'keep'),
    answerOf: () => (chance.happens(0.1) ? 'hang' : chance.happens(0.2) ? failing : wellAnswer),
    frozenMs: () => chance.below(2 * callLeaseMs),
    lateMs: () => chance.below(900),
  };
}

/** One fault, at one call of one port, and nothing else. */
function once(kind: ProcessKind, method: string, fate: Fate): { scenario: CallbackScenario; isDone: () => boolean } {
  let isDone = false;
  const scenario: CallbackScenario = {
    ...troubled(7),
    fateOf: (process, call: PortCall) => {
      if (isDone || process.kind !== kind || call.method !== method) return 'pass';
      isDone = true;
      return fate;
    },
    messageFate: () => 'keep',
    answerOf: () => wellAnswer,
  };
  return { scenario, isDone: () => isDone };
}

describe('jobs are called at least once, recorded exactly once, and never before their time', () => {
  it.each(Array.from({ length: 12 }, (_, index) => index + 1))('whatever happens: walk %i', async (seed) => {
    expect(await runCallbacks(troubled(seed))).toEqual([]);
  });

  it.each([
    ['after the look', 'scheduler', 'look', 'die-after'],
    ['before the offer is written', 'scheduler', 'publish', 'die-before'],
    ['after the offer', 'scheduler', 'publish', 'die-after'],
    ['when the offer’s acknowledgement is lost', 'scheduler', 'publish', 'throw-after'],
    ['before the claim is written', 'dispatcher', 'flush', 'die-before'],
    ['between claim and call', 'dispatcher', 'flush', 'die-after'],
    ['when the claim’s answer is lost', 'dispatcher', 'flush', 'throw-after'],
    ['between claim and end', 'dispatcher', 'call', 'die-before'],
    ['between call and end', 'dispatcher', 'call', 'die-after'],
    ['frozen between claim and call', 'dispatcher', 'call', 'freeze-before'],
    ['frozen between call and end', 'dispatcher', 'call', 'freeze-after'],
  ] as const)('a crash %s', async (_when, kind, method, fate) => {
    const { scenario, isDone } = once(kind, method, fate);
    expect(await runCallbacks(scenario)).toEqual([]);
    expect(isDone()).toBe(true);
  });

  it('when Kafka loses every second message', async () => {
    const scenario = troubled(3);
    const lossy = () => (scenario.chance.happens(0.5) ? 'drop' : 'keep');
    expect(await runCallbacks({ ...scenario, fateOf: () => 'pass', messageFate: lossy })).toEqual([]);
  });
});

describe('two regions share one database', () => {
  it.each([1, 2, 3, 4])('and every job is recorded once, whichever region calls it: walk %i', async (seed) => {
    expect(await runCallbacks({ ...troubled(seed), regions: ['local', 'east'] })).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'and nothing is claimed in the other after a switch, whatever it believes: walk %i',
    async (seed) => {
      const scenario = { ...troubled(seed), regions: ['local', 'east'], switchAfterMs: 3100 };
      expect(await runCallbacks(scenario)).toEqual([]);
    },
  );

  it('and the witnesses notice when claims are made under any epoch', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 20 && found.length === 0; seed++) {
      const scenario = troubled(seed);
      found.push(
        ...(await runCallbacks({
          ...{ ...scenario, regions: ['local', 'east'], switchAfterMs: 3100, answerOf: () => wellAnswer },
          // As if nobody asked in which region the claim is made.
          weaken: (_ledger, tables) =>
            createMemoryCallLedger({
              ...{ tables, owner: 'anybody', leaseMs: callLeaseMs },
              region: () => ({ name: 'east', epoch: 1 }),
            }),
        })),
      );
    }
    expect(found.join()).toContain('after the switch');
  });
});

/** Nothing breaks; commits land up to so long after their due times. Late looks reach back a second, and come every quarter of one. */
function calm(seed: number, lateMs: number): CallbackScenario {
  const scenario = troubled(seed);
  return {
    ...scenario,
    ...{ fateOf: () => 'pass', messageFate: () => 'keep', answerOf: () => wellAnswer, latestMs: 2000 },
    // All in one partition, so that there is always one before it.
    ...{ jobs: 60, numberOf: (nth: number) => nth * 64 },
    lateMs: () => scenario.chance.below(lateMs),
  };
}

describe('a commit that lands behind the watermark', () => {
  it.each([1, 2, 3, 4])('is found by the late look, long before the sweep would: walk %i', async (seed) => {
    expect(await runCallbacks(calm(seed, 700))).toEqual([]);
  });

  it('and the witnesses notice when nobody looks late', async () => {
    const withoutLateLook = (due: DueReferences): DueReferences => ({
      ...due,
      lookLate: () => Promise.resolve({ late: [], horizon: '' }),
    });
    const found = await runCallbacks({ ...calm(1, 700), weakenDue: withoutLateLook });
    expect(found.join()).toMatch(/was called \d{4,5} ms late/);
  });
});

const withoutSweep = (due: DueReferences): DueReferences => ({
  ...due,
  sweep: () => Promise.resolve([]),
  sweepLapsed: () => Promise.resolve([]),
});

/** What a claim would have said. */
const unclaimed = (dueAtMs: number) => ({
  ...{ partition: 0, dueUs: dueAtMs * 1000, epoch: 1, claimedAtMs: dueAtMs, expiresInMs: null },
});

/** A checker that never fails proves nothing. */
describe('the witnesses notice when', () => {
  it('nobody sweeps', async () => {
    const lossy: CallbackScenario = { ...troubled(3), messageFate: () => 'drop', weakenDue: withoutSweep };
    expect(await runCallbacks({ ...lossy, fateOf: () => 'pass' })).not.toEqual([]);
  });

  it('a job can be claimed while its lease runs', async () => {
    const found = await runCallbacks({
      ...troubled(5),
      fateOf: () => 'pass',
      messageFate: () => 'duplicate',
      answerOf: () => 'hang',
      weaken: (ledger, { fires, clock }) => ({
        flush: (work) => {
          for (const { jobId } of work.claims)
            Object.assign(fires.get(jobId) ?? {}, { leaseUntilMs: clock.nowMs() - 1 });
          return ledger.flush(work);
        },
      }),
    });
    expect(found.join()).toContain('claimed twice within a lease');
  });

  it('calls are made without a claim', async () => {
    const found = await runCallbacks({
      ...troubled(11),
      ...{ fateOf: () => 'pass', messageFate: () => 'duplicate', answerOf: () => wellAnswer },
      // As if the reference itself were the right to call.
      weaken: (ledger, tables) => ({
        flush: async ({ results, claims }) => ({
          ...(await ledger.flush({ results, claims: [] })),
          claimed: claims.flatMap(({ jobId }) => {
            const job = tables.jobs.get(jobId);
            return job ? [{ ...job, ...unclaimed(job.dueAtMs) }] : [];
          }),
        }),
      }),
    });
    expect(found.join()).toContain('without a claim');
  });

  it('results are written under any epoch', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 20 && found.length === 0; seed++) {
      const scenario = troubled(seed);
      found.push(
        ...(await runCallbacks({
          ...scenario,
          fateOf: (_process, { method }) =>
            method === 'call' && scenario.chance.happens(0.3) ? 'freeze-after' : 'pass',
          messageFate: () => 'keep',
          answerOf: () => 'hang',
          // Awake again about when another calls.
          frozenMs: () => callLeaseMs + scenario.chance.below(6000),
          weaken: (ledger, { fires }) => ({
            flush: (work) =>
              ledger.flush({
                ...work,
                results: work.results.map((result) => ({
                  ...result,
                  epoch: fires.get(result.jobId)?.epoch ?? result.epoch,
                })),
              }),
          }),
        })),
      );
    }
    expect(found).not.toEqual([]);
  });
});
