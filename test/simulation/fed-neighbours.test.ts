import { describe, expect, it } from 'vitest';
import { startFedNeighbours } from './fed-neighbours.ts';

const slots = 40;
const batches = 600;
const callMs = 150;

interface Others {
  /** Campaigns that run beside the measured one. */
  count: number;
  /**
   * Milliseconds until the endpoint answers a call of these campaigns once it serves them badly; null if it never
   * answers.
   */
  answersAfterMs: number | null;
  /** Milliseconds from their start during which the endpoint serves them well. */
  turnsAfterMs: number;
  /** Milliseconds from the bad answers until the measured campaign starts. */
  leadMs: number;
  /** True if another trigger, which has just started, feeds the measured campaign. */
  isFedElsewhere?: boolean;
}

/**
 * Returns the milliseconds until 99 % of the batches of a healthy campaign are served, and the ready batches of the
 * others at that time.
 */
async function runNeighbours({ count, answersAfterMs, turnsAfterMs, leadMs, isFedElsewhere = false }: Others) {
  let hasTurned = false;
  const { start, startTrigger, pass, passUntil } = await startFedNeighbours({
    slots,
    answersAfterMs: (rewardId) => (rewardId === 'other' && hasTurned ? answersAfterMs : callMs),
  });
  const others = [];
  for (let index = 0; index < count; index++) others.push(await start(`other${index}x`, 'other', 5 * batches));
  await pass(turnsAfterMs);
  hasTurned = true;
  await pass(leadMs);
  if (isFedElsewhere) startTrigger('u');
  const healthy = await start('healthy', 'healthy', batches);
  const tookMs = await passUntil(() => healthy.served() >= 0.99 * batches, 60_000);
  return { tookMs, readyOfOthers: others.reduce((sum, other) => sum + other.ready(), 0) };
}

/** Upper bound on the ready batches of the shard beyond the floors: five times three seconds of work. */
const mostReady = 5 * 3 * (1000 / callMs) * slots;

describe('a healthy campaign with more batches than a shard has ready', () => {
  const withHealthy = runNeighbours({ count: 1, answersAfterMs: callMs, turnsAfterMs: 0, leadMs: 3000 });

  it.each<[string, Others]>([
    ['whose calls hang', { count: 1, answersAfterMs: null, turnsAfterMs: 0, leadMs: 3000 }],
    [
      'whose calls have hung for longer than they may take',
      { count: 1, answersAfterMs: null, turnsAfterMs: 0, leadMs: 14_000 },
    ],
    ['whose calls take two seconds', { count: 1, answersAfterMs: 2000, turnsAfterMs: 0, leadMs: 8000 }],
    ['whose calls began to hang a second ago', { count: 1, answersAfterMs: null, turnsAfterMs: 7000, leadMs: 1000 }],
    ['with two more whose calls hang', { count: 3, answersAfterMs: null, turnsAfterMs: 7000, leadMs: 2000 }],
  ])('takes no longer beside a campaign %s than beside a healthy one', async (_name, others) => {
    const { tookMs, readyOfOthers } = await runNeighbours(others);
    expect(tookMs).toBeLessThanOrEqual((await withHealthy).tookMs);
    expect(readyOfOthers).toBeLessThanOrEqual(mostReady);
  });

  it('takes equally long beside hanging campaigns of another trigger and beside those of its own trigger', async () => {
    const others = { count: 15, answersAfterMs: null, turnsAfterMs: 7000, leadMs: 2000 };
    const [own, elsewhere] = await Promise.all([
      runNeighbours(others),
      runNeighbours({ ...others, isFedElsewhere: true }),
    ]);
    expect(elsewhere.tookMs).toBeLessThanOrEqual(1.1 * own.tookMs);
    expect(elsewhere.readyOfOthers).toBeLessThanOrEqual(mostReady);
  });
});
