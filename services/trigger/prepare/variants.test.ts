import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { isHeldOut } from '../../../shared/domain/run/hold-out.ts';
import { isInPart } from '../../../shared/domain/run/split.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, mortal, userIds } from '../../../test/support/trigger-fixture.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { feedsByVariant } from './feeds-by-variant.ts';
import { createTrigger } from '../trigger.ts';

const variants = [
  { name: 'A', weight: 6000, params: {} },
  { name: 'B', weight: 3000, params: {} },
  { name: 'C', weight: 1000, params: {} },
];
const chain = [{ action: 'award-reward', params: {}, variants }];
const audience = { include: [{ segment: 'lapsed-riders' }] };

async function fedRun(changes: Partial<CampaignDefinition>, users: readonly string[]) {
  const world = createTriggerFixture();
  world.segmentation.users.set('SG', [...users]);
  const trigger = createTrigger(world.triggerDeps('a'));
  trigger.start();
  const { runId } = await world.startCampaign({ chain, ...changes });
  await passTime(world.clock, 5000);
  const ofRun = world.feedRows().filter((row) => row.runId === runId);
  const feeds = ofRun.toSorted((a, b) => (a.variant ?? 0) - (b.variant ?? 0));
  const usersOf = (feedId: string) =>
    [...world.database.batches.values()].flatMap((batch) => (batch.feedId === feedId ? batch.users : []));
  return { ...world, feeds, fed: feeds.map(({ feedId }) => usersOf(feedId)) };
}

describe('a run with variants', () => {
  const users = userIds(3000);

  it('has a feed for each variant, and each user is in the feed of exactly one', async () => {
    const { feeds, fed } = await fedRun({ splitSeed: 'december' }, users);
    expect(feeds.map(({ variant, complete }) => [variant, complete])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    expect(fed.flat().toSorted()).toEqual(users);
    for (const [
      index,
      {
        audience: { split },
      },
    ] of feeds.entries())
      expect(fed[index]).toEqual(users.filter((user) => split && isInPart(split, user)));
    expect(feeds.map(({ fedUsers }) => fedUsers).reduce((sum, count) => sum + count, 0)).toBe(3000);
  });

  it('splits before it excludes and holds out, so that both are counted for the variant that a user would have', async () => {
    const seed = 'december';
    const heldOut = { ...audience, holdOutPercent: 20, holdOutSeed: seed };
    const { feeds, fed } = await fedRun({ splitSeed: seed, audience: heldOut }, users);
    for (const [index, feed] of feeds.entries()) {
      const own = users.filter((user) => feed.audience.split && isInPart(feed.audience.split, user));
      const held = own.filter((user) => isHeldOut({ percent: 20, seed }, user));
      expect([feed.fedUsers, feed.heldOutUsers, feed.excludedUsers]).toEqual([own.length, held.length, 0]);
      expect(fed[index]).toEqual(own.filter((user) => !held.includes(user)));
    }
    const excluding = { ...audience, exclude: [{ segment: 'others' }] };
    const excluded = (await fedRun({ splitSeed: seed, audience: excluding }, users)).feeds;
    expect(excluded.map(({ fedUsers }) => fedUsers)).toEqual([0, 0, 0]);
    expect(excluded.map(({ excludedUsers }) => excludedUsers)).toEqual(feeds.map(({ fedUsers }) => fedUsers));
  });

  it('puts a user into the same variant in every run with the same seed, and into others without a seed', async () => {
    const runs = ['december', 'december', undefined, undefined].map((splitSeed) => fedRun({ splitSeed }, users));
    const [first, again, own, other] = (await Promise.all(runs)).map(({ fed }) => JSON.stringify(fed));
    expect(again).toBe(first);
    expect(own).not.toBe(first);
    expect(other).not.toBe(own);
  });

  it('has one canary and one estimate, which the variants divide', async () => {
    const { feeds } = await fedRun({ canary: { users: 55, then: 'pause' } }, users);
    expect(feeds.map(({ canaryUsers }) => canaryUsers)).toEqual([33, 17, 5]);
    expect(feeds.map(({ fedUsers }) => fedUsers)).toEqual([33, 17, 5]);
  });

  it('gives the variants to the canary users only, if a person chooses a variant after it', async () => {
    const canary = { percent: 20, then: 'choose-variant' as const };
    const { feeds, fed, runs } = await fedRun({ splitSeed: 'december', canary }, users);
    const inPart = (from: number, to: number) => users.filter((user) => isInPart({ seed: 'december', from, to }, user));
    const own = new Map(feeds.map(({ variant }, index) => [variant, fed[index]]));
    expect(Object.fromEntries(own)).toEqual({
      1: inPart(0, 1200),
      2: inPart(1200, 1800),
      3: inPart(1800, 2000),
      null: [],
    });
    expect(runs()).toMatchObject([{ state: 'running', canary: 'serving' }]);
  });

  it.each([
    [0.03, [0, 1, 2, 3, 10_000]],
    [99.999, [0, 5999, 8999, 9999, 10_000]],
  ])('has a part for each variant and for all others with a canary of %d percent', (percent, bounds) => {
    const definition = campaignDefinitionOf({ chain });
    const canary = { percent, then: 'choose-variant' as const };
    const feed = { country: 'SG', audience: segmentAlone({ segment: 's', snapshot: 's1', estimate: 10_000 }) };
    const feeds = feedsByVariant(
      { ...feed, usersAtMost: 10_000, canaryUsers: 7 },
      { runId: uuidv7(), definition, canary },
    );
    expect([0, ...feeds.map(({ audience: { split } }) => split?.to)]).toEqual(bounds);
    expect(feeds.map(({ canaryUsers }) => canaryUsers)).toEqual([undefined, undefined, undefined, 0]);
    expect(feeds.reduce((sum, { usersAtMost = 0 }) => sum + usersAtMost, 0)).toBe(10_000);
  });

  it('has counted users outside the canary in a dry run', async () => {
    const world = createTriggerFixture();
    world.segmentation.users.set('SG', users);
    createTrigger(world.triggerDeps('a')).start();
    const canary = { percent: 20, then: 'choose-variant' as const };
    const { runId } = await world.startCampaign({ chain, splitSeed: 'december', canary });
    Object.assign(world.database.runs.get(runId) ?? {}, { kind: 'dry-run' });
    await passTime(world.clock, 30_000);
    expect(world.runs()).toMatchObject([{ state: 'completed', canary: null }]);
    const outside = world.feedRows().find(({ variant }) => variant === null);
    expect(outside?.fedUsers).toBe(
      users.filter((user) => isInPart({ seed: 'december', from: 2000, to: 10_000 }, user)).length,
    );
    expect(world.feedRows().reduce((sum, { fedUsers }) => sum + fedUsers, 0)).toBe(3000);
  });

  it('has counted users of each variant in a dry run, and no user of two variants counts as shared', async () => {
    const world = createTriggerFixture();
    world.segmentation.users.set('SG', users);
    createTrigger(world.triggerDeps('a')).start();
    const sources = { include: [{ segment: 'lapsed-riders' }, { segment: 'vip' }] };
    const { runId } = await world.startCampaign({ chain, splitSeed: 'december', audience: sources });
    Object.assign(world.database.runs.get(runId) ?? {}, { kind: 'dry-run' });
    await passTime(world.clock, 30_000);
    expect(world.runs()).toMatchObject([{ state: 'completed' }]);
    for (const { audience: own, fedUsers, sharedUsers } of world.feedRows()) {
      const expected = users.filter((user) => own.split && isInPart(own.split, user)).length;
      expect([fedUsers, sharedUsers]).toEqual([expected, expected]);
    }
    expect(world.feedRows()).toHaveLength(3);
  });

  it('continues a feed of a variant behind its cursor after its trigger has died', async () => {
    const world = createTriggerFixture();
    world.segmentation.users.set('SG', users);
    const deps = world.triggerDeps('a');
    // Ends with its first page.
    const feedStore = mortal(deps.feedStore, () => world.database.batches.size > 0);
    createTrigger({ ...deps, feedStore }).start();
    await world.startCampaign({ chain });
    await passTime(world.clock, 5000);
    expect(world.fedUsers('SG').length).toBeLessThan(3000);
    createTrigger(world.triggerDeps('b')).start();
    await passTime(world.clock, 60_000);
    expect(world.fedUsers('SG').toSorted()).toEqual(users);
  });
});
