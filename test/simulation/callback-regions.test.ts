import { describe, expect, it } from 'vitest';
import type { DueReferences } from '../../services/scheduler/ports/due-references.ts';
import { troubled } from './callback-scenarios.ts';
import { callLeaseMs, runCallbacks, wellAnswer, type CallbackScenario } from './callback-world.ts';
import { createMemoryCallLedger } from '../support/memory/call-ledger.ts';

describe('two regions that share one database', () => {
  it.each([1, 2, 3, 4])('record every job once, whichever region calls it: walk %i', async (seed) => {
    expect(await runCallbacks({ ...troubled(seed), regions: ['local', 'east'] })).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'claim nothing in the region that was switched off, whatever state it has read: walk %i',
    async (seed) => {
      const scenario = { ...troubled(seed), regions: ['local', 'east'], switchAfterMs: 6100 };
      expect(await runCallbacks(scenario)).toEqual([]);
    },
  );

  it('have checks that detect claims under any epoch', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 20 && found.length === 0; seed++) {
      const scenario = troubled(seed);
      found.push(
        ...(await runCallbacks({
          ...scenario,
          regions: ['local', 'east'],
          switchAfterMs: 6100,
          answerOf: () => wellAnswer,
          // Ignores the regions: every dispatcher takes part, and any region may claim.
          weakenNodes: (nodes, tables) => ({
            ...nodes,
            dispatchers: () =>
              Promise.resolve([...tables.nodes.keys()].filter((name) => name.startsWith('disp')).sort()),
          }),
          weaken: (_ledger, tables) =>
            createMemoryCallLedger({
              tables,
              owner: 'anybody',
              leaseMs: callLeaseMs,
              region: () => ({ name: 'east', epoch: 1 }),
            }),
        })),
      );
    }
    expect(found.join()).toContain('after the switch');
  });
});

/**
 * A scenario without faults, in which commits happen up to `lateMs` after the due time. Late looks reach back one
 * second, and run every quarter of a second.
 */
function calm(seed: number, lateMs: number): CallbackScenario {
  const scenario = troubled(seed);
  return {
    ...scenario,
    fateOf: () => 'pass',
    messageFate: () => 'keep',
    answerOf: () => wellAnswer,
    latestMs: 2000,
    // All jobs are in one partition, so that each has another job before it.
    jobs: 60,
    numberOf: (nth: number) => nth * 64,
    lateMs: () => scenario.chance.below(lateMs),
  };
}

describe('a job committed behind the watermark', () => {
  it.each([1, 2, 3, 4])('is found by the late-job query long before the sweep: walk %i', async (seed) => {
    expect(await runCallbacks(calm(seed, 700))).toEqual([]);
  });

  it('is missed without the late-job query, and the checks detect that', async () => {
    const withoutLateLook = (due: DueReferences): DueReferences => ({
      ...due,
      scanLate: () => Promise.resolve({ late: [], horizon: '', nowUs: 0 }),
    });
    const found = await runCallbacks({ ...calm(1, 700), weakenDue: withoutLateLook });
    expect(found.join()).toMatch(/was called \d{4,5} ms late/);
  });
});

/** A scenario with many jobs at the same time, of which dispatchers take one at a time. */
function crowded(seed: number): CallbackScenario {
  const scenario = calm(seed, 1);
  return { ...scenario, isScarce: true, latestMs: 60_000, lateMs: () => 2000 };
}

describe('a client with more due jobs than dispatchers accept', () => {
  it.each([1, 2, 3, 4])('has all its jobs called in the end: walk %i', async (seed) => {
    expect(await runCallbacks(crowded(seed))).toEqual([]);
  });

  it('has jobs without a call if no scheduler reads for clients that are behind, and the checks detect that', async () => {
    const withoutLookOf = (due: DueReferences): DueReferences => ({
      ...due,
      readOfClients: (ranges) => Promise.resolve(ranges.map(() => ({ found: [], readUpTo: null }))),
    });
    const found = await runCallbacks({ ...crowded(1), weakenDue: withoutLookOf });
    expect(found.join()).toContain('never called');
  });
});

const withoutSweep = (due: DueReferences): DueReferences => ({
  ...due,
  sweep: () => Promise.resolve({ found: [], readUpTo: new Map() }),
  sweepLapsed: () => Promise.resolve([]),
});

/** Returns the result of a claim that was never made. */
const unclaimed = (dueAtMs: number) => ({
  partition: 0,
  dueUs: dueAtMs * 1000,
  epoch: 1,
  claimedAtMs: dueAtMs,
  expiresInMs: null,
});

/** A checker that never fails proves nothing, so each protection is removed once. */
describe('the checks of the simulation detect when', () => {
  it('no scheduler sweeps', async () => {
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
      fateOf: () => 'pass',
      messageFate: () => 'duplicate',
      answerOf: () => wellAnswer,
      // Treats the reference itself as the right to call.
      weaken: (ledger, tables) => ({
        flush: async ({ results, claims }) => ({
          ...(await ledger.flush({ results, claims: [] })),
          claimed: claims.flatMap(({ jobId }) => {
            const job = tables.jobs.get(jobId);
            const call = { repeats: null, terms: null, orderingKey: null, exclusiveMs: null, report: null };
            return job ? [{ ...job, ...unclaimed(job.dueAtMs), ...call }] : [];
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
          // The frozen dispatcher continues about when another one calls.
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
