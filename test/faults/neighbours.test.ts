import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { isFullScale } from './support/full-scale.ts';
import { compareNeighbour, undisturbed, type Compared } from './support/neighbours.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

type SegmentationFault = NonNullable<FaultSettings['segmentation']>[number];

const segment = 'lapsed-riders';
const award = (params: Record<string, number | string> = {}) => [{ action: 'award-points', params }];
const slots = 40;
/** Seconds for which a campaign with wrong parameters is watched. */
const heldSeconds = isFullScale ? 60 : 10;

/** Pages are large, so that feeding is faster than the calls that are measured. */
function withSlots(config: EngineConfigFile): EngineConfigFile {
  return {
    ...config,
    segmentation: { ...config.segmentation, pageSize: 1000 },
    actionTypes: Object.fromEntries(
      Object.entries(config.actionTypes).map(([name, type]) => [name, { ...type, concurrency: slots }]),
    ),
  };
}

/** I8: while a fault hits one country or campaign, the others' p99 stays within 20 % of their time without it. */
describe('neighbours of a fault in the same action type', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=60000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_POINTS_LATENCY_MS: '400',
      },
      engine: { WORKER_CONCURRENCY: String(2 * slots) },
      configure: withSlots,
    });
  });
  afterAll(() => trial.end());

  const run = (country: string, over: { chain?: ReturnType<typeof award>; deadlineSeconds?: number } = {}) =>
    trial.muster.api.run({ name: country, countries: [country], segment, chain: award(), ...over });

  /** Starts a healthy run in SG beside a run that the rule affects, and compares their times. */
  async function beside(
    rule: NonNullable<FaultSettings['calls']>[number],
    other: () => Promise<string>,
    during?: () => Promise<void>,
  ): Promise<Compared> {
    return await compareNeighbour(trial, {
      neighbour: () => run('SG'),
      other,
      step: 1,
      breakIt: () => trial.switchFaults({ calls: [rule] }),
      isBroken: async () => ((await trial.faultHits())[rule.name] ?? 0) >= 3,
      healIt: async () => {
        await during?.();
        await trial.switchFaults();
      },
    });
  }

  async function judged(
    rows: string,
    scenario: string,
    { neighbour, seconds }: Compared,
    more = {},
  ): Promise<string[]> {
    const measured = { 'neighbour s': seconds.beside, 'without s': seconds.without, ...more };
    return await trial.judge(neighbour, { rows, scenario, segment, measured });
  }

  it('row 42: are unaffected by a country that hangs until the time-out', async () => {
    const compared = await beside({ name: 'hang', countries: ['ID'], answer: { kind: 'hang', applied: false } }, () =>
      run('ID'),
    );
    await trial.awaitEnd(compared.other, 150_000);

    expect(await judged('42', 'beside a country that hangs', compared)).toEqual([]);
    expect(compared.seconds.beside).toBeLessThanOrEqual(undisturbed(compared.seconds.without));
    expect(await trial.judge(compared.other, { rows: '42', scenario: 'country that hangs', segment })).toEqual([]);
  });

  it.each([
    ['429 with Retry-After', { kind: 'status', status: 429, retryAfterSeconds: 2 } as const],
    ['503 without Retry-After', { kind: 'status', status: 503 } as const],
  ])('row 22: are unaffected by a country that answers %s', async (what, answer) => {
    const compared = await beside({ name: 'storm', countries: ['ID'], answer }, () => run('ID'));
    await trial.awaitEnd(compared.other, 150_000);

    expect(await judged('22', `beside ${what}`, compared)).toEqual([]);
    expect(compared.seconds.beside).toBeLessThanOrEqual(undisturbed(compared.seconds.without));
    expect(await trial.judge(compared.other, { rows: '22', scenario: what, segment })).toEqual([]);
  });

  it.each([404, 400])(
    'row 41: are unaffected by a campaign with wrong parameters (%s for all its users) in their country',
    async (status) => {
      const rule = { name: 'wrong', params: { rewardId: 'gone' }, answer: { kind: 'status', status } as const };
      const chain = award({ rewardId: 'gone' });
      let knocks = -1;
      const compared = await beside(
        rule,
        async () => run('SG', { chain }),
        async () => {
          const before = (await trial.faultHits())['wrong'] ?? 0;
          await lasting(heldSeconds * 1000);
          knocks = ((await trial.faultHits())['wrong'] ?? 0) - before;
        },
      );
      const held = await trial.muster.api.progress(compared.other);

      // The worker tries one batch every 30 s, or one and then two of its users, so there are few calls per minute.
      expect(knocks).toBeLessThanOrEqual(3 * Math.ceil(heldSeconds / 30));
      expect(held.stalled ?? held.stateReason).toContain(String(status));
      expect(held.steps.map(({ failed, unknown }) => failed + unknown)).toEqual([0]);
      expect(compared.seconds.beside).toBeLessThanOrEqual(undisturbed(compared.seconds.without));
      expect(
        await judged('41', `beside a campaign held by ${status}`, compared, { knocks, 'in s': heldSeconds }),
      ).toEqual([]);
      // The endpoint works again. The worker tries one batch every 30 s, so the run continues without help.
      await trial.awaitEnd(compared.other, 90_000);
      expect(await trial.judge(compared.other, { rows: '41', scenario: `held by ${status}`, segment })).toEqual([]);
    },
  );
});

describe('row 43: the backlog of a second step that is 20 times slower than the first', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `crowd=${isFullScale ? 1_000_000 : 150_000},few=300`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_REWARDS_MEMORY: 'users',
        SANDBOX_REWARDS_LATENCY_MS: '50',
        SANDBOX_MESSAGES_LATENCY_MS: '1000',
      },
      engine: { WORKER_CONCURRENCY: String(2 * slots) },
      // With one partition, all messages wait in one queue, as with the backlog of a million users.
      configure: (config) => ({ ...withSlots(config), partitionsPerShard: 1 }),
    });
  });
  afterAll(() => trial.end());

  it('does not delay a small campaign that starts later', async () => {
    const start = (audience: string) =>
      trial.muster.api.run({
        name: audience,
        countries: trial.muster.countries,
        segment: audience,
        chain: [
          { action: 'award-reward', params: {} },
          { action: 'send-message', params: {} },
        ],
      });
    const idle = await start('few');
    await trial.awaitEnd(idle);
    const alone = await trial.servedWithin(idle, 2, 1);
    const crowd = await start('crowd');
    await trial.awaitCalls(crowd, 2, 3 * slots);
    const small = await start('few');
    await trial.awaitEnd(small);
    const beside = await trial.servedWithin(small, 2, 1);
    await trial.awaitEnd(crowd, isFullScale ? 1_200_000 : 120_000);

    const measured = { 'small campaign s': beside, 'alone s': alone };
    expect(
      await trial.judge(small, { rows: '43', scenario: 'small behind a slow step', segment: 'few', measured }),
    ).toEqual([]);
    expect(await trial.judge(crowd, { rows: '43', scenario: 'slow second step', segment: 'crowd' })).toEqual([]);
    expect(beside).toBeLessThanOrEqual(2 * alone + 2);
  }, 1_800_000);
});

describe('row 46: 500 feeds whose segments stall', () => {
  let trial: Trial;
  const countries = Array.from({ length: 25 }, (_, index) => `X${String.fromCharCode(65 + index)}`);
  const healthy = countries.slice(0, 2);
  beforeAll(async () => {
    trial = await startTrial({
      workers: 1,
      countries,
      sandbox: {
        SANDBOX_SEGMENTS: `broken=25000,${segment}=25000`,
        SANDBOX_COUNTRIES: countries.map((country) => `${country}=1`).join(','),
      },
      configure: (config) => {
        const points = config.actionTypes['award-points'];
        if (!points) throw new Error('there is no award-points');
        return {
          ...config,
          partitionsPerShard: 1,
          segmentation: { ...config.segmentation, timeoutMs: 5000 },
          actionTypes: { 'award-points': points },
        };
      },
    });
  });
  afterAll(() => trial.end());

  it.each([
    ['hang', 'pages', { kind: 'hang' } as const],
    ['answer 500', 'pages', { kind: 'status', status: 500 } as const],
    ['hang when described', 'descriptions', { kind: 'hang' } as const],
  ] as const)('do not delay a healthy campaign that starts later, if the segments %s', async (what, of, answer) => {
    const start = (audience: string, served: readonly string[]) =>
      trial.muster.api.run({
        name: audience,
        countries: served,
        segment: audience,
        chain: award(),
        deadlineSeconds: 60,
      });
    const first = await start(segment, healthy);
    await trial.awaitEnd(first);
    const alone = await trial.servedWithin(first, 1, 1);

    const broken = ['broken'];
    const stall = (rule: SegmentationFault) => trial.switchFaults({ segmentation: [{ ...rule, segments: broken }] });
    const startBroken = () => Promise.all(Array.from({ length: 20 }, () => start('broken', countries)));
    // Feeds exist once their segments are described. So they stall first, and hang when all of them exist.
    await stall(
      of === 'pages' ? { name: 'stall', of, answer: { kind: 'status', status: 500 } } : { name: what, of, answer },
    );
    const stalled = await startBroken();
    if (of === 'pages') {
      const feeds = 'select 1 from feeds where not complete';
      await until('500 feeds are there', async () => (await trial.database.count(feeds)) >= 500);
      await stall({ name: what, of, answer });
    }
    await until('they are asked for', async () => ((await trial.faultHits())[what] ?? 0) >= 50);
    const later = await start(segment, healthy);
    await trial.awaitEnd(later);
    const created = await trial.muster.api.report(later);
    const beside = await trial.servedWithin(later, 1, 1);
    const prepared = (Date.parse(created.startedAt ?? '') - Date.parse(created.scheduledFor)) / 1000;
    await trial.switchFaults();
    for (const runId of stalled) await trial.awaitEnd(runId, 120_000);

    expect(beside).toBeLessThanOrEqual(1.2 * alone + 2);
    expect(prepared).toBeLessThan(3);
    const measured = { 'campaign s': beside, 'alone s': alone, 'preparation s': prepared };
    expect(
      await trial.judge(later, { rows: '46', scenario: `beside 500 feeds that ${what}`, segment, measured }),
    ).toEqual([]);
  });
});
