import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { failingOnce, failureOf, mortal, userIds } from '../../../test/support/trigger-fixture.ts';
import { setUp, startTrigger } from '../../../test/support/started-trigger.ts';

describe('feeding a run', () => {
  it('puts the whole segment into full batches, in ascending order, and one short batch at the end', async () => {
    const users = userIds(2530);
    const { clock, startCampaign, database, fedUsers, isFed } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users);
    const sizes = [...database.batches.values()].map((batch) => batch.users.length);
    expect(sizes).toEqual([...Array.from({ length: 25 }, () => 100), 30]);
  });

  it('publishes a reference to every batch, to the shard of the first step and the country', async () => {
    const { clock, startCampaign, references, isFed } = setUp(userIds(2530));
    await startCampaign();
    await passTimeUntil(clock, isFed);
    await passTime(clock, 0);
    const numbers = references('SG').flatMap(({ batchNos }) => batchNos);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
    expect(references('SG').every(({ step, lost }) => step === 1 && lost === undefined)).toBe(true);
    expect(references('ID')).toEqual([]);
  });

  it('publishes no reference to a batch that is not committed', async () => {
    const { clock, startCampaign, references } = setUp(userIds(250), ({ feedStore }) => ({
      feedStore: { ...feedStore, writePages: () => new Promise(() => undefined) },
    }));
    await startCampaign();
    await passTime(clock, 10_000);
    expect(references('SG')).toEqual([]);
  });

  it('fails users whose id breaks the rules, escaped, and goes on with the others', async () => {
    const invalid = ['', 'user\u0000', 'user\ud800', 'v'.repeat(300)];
    const { clock, startCampaign, database, fedUsers, isFed, feed } = setUp([...userIds(150), ...invalid]);
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(userIds(150));
    expect(database.failures.every(({ reason }) => reason === 'muster.invalid-user-id')).toBe(true);
    expect(database.failures.map(({ user, detail }) => [user, detail])).toEqual([
      ['', 'empty'],
      ['user\\u0000', 'control-character'],
      ['user\\ud800', 'lone-surrogate'],
      [expect.stringMatching(/^v{256}…#[0-9a-f]{8}$/), 'too-long'],
    ]);
    expect(feed()).toMatchObject({ fedUsers: 154 });
  });

  it('goes on behind a page that ends with an id which cannot be asked for', async () => {
    const users = [...userIds(999, 'a'), 'b\ud800', ...userIds(1500, 'c')];
    const { clock, startCampaign, fedUsers, isFed, feed } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users.filter((id) => id.isWellFormed()));
    expect(feed()).toMatchObject({ fedUsers: users.length });
  });

  it('publishes again until it succeeds', async () => {
    const { clock, startCampaign, references, isFed } = setUp(userIds(250), (deps) => ({
      publisher: failingOnce(deps.publisher, 'publish'),
    }));
    await startCampaign();
    await passTimeUntil(clock, isFed);
    await passTime(clock, 1000);
    expect(references('SG').flatMap(({ batchNos }) => batchNos)).toEqual([1, 2, 3]);
  });

  it('reads its cursor again when it does not know whether a write has arrived', async () => {
    const users = userIds(2500);
    const { clock, startCampaign, fedUsers, isFed, feed } = setUp(users, (deps) => ({
      feedStore: failingOnce(deps.feedStore, 'writePages'),
    }));
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users);
    expect(feed()).toMatchObject({ token: 2 });
  });
});

describe('a segmentation service in trouble', () => {
  it('stalls the feed with its cause, by segment and country, which goes away when the feed moves on', async () => {
    const { clock, segmentation, startCampaign, feed, isFed } = setUp(userIds(2500));
    segmentation.pageFailure = failureOf('unavailable');
    await startCampaign();
    await passTime(clock, 1000);
    expect(feed()?.stalled).toMatch(/^segment "lapsed-riders" in SG: .*does not answer \(scripted unavailable\)/);
    segmentation.pageFailure = null;
    await passTimeUntil(clock, isFed);
    expect(feed()).toMatchObject({ stalled: null, stalls: 0, fedUsers: 2500 });
  });

  it('is asked less and less often', async () => {
    const { clock, segmentation, startCampaign } = setUp(userIds(2500));
    segmentation.pageFailure = failureOf('unavailable');
    await startCampaign();
    await passTime(clock, 600_000);
    expect(segmentation.pagesAsked.length).toBeLessThan(60);
  });

  it('is asked again after ten seconds, and at last every five minutes, when it refuses or breaks its contract', async () => {
    const { clock, segmentation, startCampaign, feed } = setUp(userIds(2500));
    segmentation.tamper = (page) => page.toReversed();
    await startCampaign();
    await passTime(clock, 9000);
    expect(segmentation.pagesAsked).toHaveLength(1);
    await passTime(clock, 2500);
    expect(segmentation.pagesAsked).toHaveLength(2);
    await passTime(clock, 900_000);
    const asked = segmentation.pagesAsked.length;
    await passTime(clock, 900_000);
    expect(segmentation.pagesAsked.length - asked).toBe(3);
    expect(feed()).toMatchObject({ owner: null });
  });

  it('feeds nothing of a page that is not sorted, and goes on when it is mended', async () => {
    const users = userIds(2500);
    const { clock, segmentation, startCampaign, feed, fedUsers, isFed } = setUp(users);
    segmentation.tamper = (page) => page.toReversed();
    await startCampaign();
    await passTime(clock, 60_000);
    expect(fedUsers('SG')).toEqual([]);
    expect(feed()?.stalled).toMatch(
      /^segment "lapsed-riders" in SG: .*strictly ascending.*until the service is mended$/,
    );
    segmentation.tamper = null;
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users);
  });

  it('shows a broken page for as long as the feed stands still, though pages before it are still being written', async () => {
    const users = userIds(8000);
    const { clock, segmentation, startCampaign, feed, fedUsers, workOff } = setUp(users);
    segmentation.tamper = (page) => (page[0] === users[5000] ? page.toReversed() : page);
    await startCampaign();
    await passTime(clock, 600);
    for (let i = 0; i < 100; i++) {
      expect(feed()?.stalled).toContain('strictly ascending');
      await workOff(1);
      await passTime(clock, 100);
    }
    expect(fedUsers('SG')).toEqual(users.slice(0, 5000));
    segmentation.tamper = null;
    await passTime(clock, 300_000);
    await workOff();
    await passTime(clock, 1000);
    expect(feed()).toMatchObject({ stalled: null, complete: true, fedUsers: 8000 });
  });

  it('keeps nobody out: feeds that stand still do not count against the feeds that a trigger may own', async () => {
    const { clock, segmentation, startCampaign, database } = setUp([]);
    segmentation.pageFailure = failureOf('refused');
    const countries = (letter: string) => Array.from({ length: 260 }, (_, i) => `${letter}${i}`);
    await startCampaign({ countries: countries('A') });
    await startCampaign({ countries: countries('B') });
    await passTime(clock, 30_000);
    expect([...database.feeds.values()].every(({ stalled }) => stalled !== null)).toBe(true);
    segmentation.pageFailure = null;
    segmentation.tamper = (page) => page;
    segmentation.users.set('SG', userIds(300));
    const { runId } = await startCampaign();
    await passTime(clock, 2000);
    const late = [...database.feeds.values()].find((row) => row.runId === runId);
    expect(late).toMatchObject({ complete: true, fedUsers: 300 });
  });

  it('may lose its snapshot: the feed goes on behind its cursor on a fresh one', async () => {
    const users = userIds(45_000);
    const { clock, segmentation, startCampaign, workOff, fedUsers, isFed, feed } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, () => fedUsers('SG').length > 0);
    segmentation.snapshot = 's2';
    while (!isFed()) {
      await workOff();
      await passTime(clock, 200);
    }
    expect(fedUsers('SG')).toEqual(users);
    expect(new Set(segmentation.pagesAsked.map(({ snapshot }) => snapshot))).toEqual(new Set(['s1', 's2']));
    expect(feed()?.audience.include).toMatchObject([{ snapshot: 's2' }]);
  });

  it('says when a segment ends with more than a twentieth of its estimate missing', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const { clock, segmentation, startCampaign, isFed } = setUp(userIds(2000), () => ({ logger }));
    segmentation.pageFailure = failureOf('unavailable');
    await startCampaign();
    await passTime(clock, 600);
    segmentation.pageFailure = null;
    segmentation.users.set('SG', userIds(1000));
    await passTimeUntil(clock, isFed);
    await passTime(clock, 100);
    expect(lines.at(-1)).toContain('in SG ended after 1000 users, and 2000 were estimated');
  });
});

describe('feeds and their owners', () => {
  it('go to another trigger at once when theirs stops, which goes on behind the cursor', async () => {
    const users = userIds(45_000);
    const { clock, world, startCampaign, workOff, fedUsers, isFed, feed, trigger } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, () => fedUsers('SG').length > 0);
    await trigger.stopIntake();
    await trigger.finishWork();
    startTrigger(world, 'b');
    await passTime(clock, 0);
    expect(feed()).toMatchObject({ owner: 'b', token: 2 });
    while (!isFed()) {
      await workOff();
      await passTime(clock, 200);
    }
    expect(fedUsers('SG')).toEqual(users);
  });

  it('are taken over when the lease of a killed trigger runs out, with nobody fed twice', async () => {
    let isDead = false;
    const users = userIds(45_000);
    const { clock, world, startCampaign, workOff, fedUsers, isFed, feed } = setUp(users, (deps) => ({
      feedStore: mortal(deps.feedStore, () => isDead),
      leases: mortal(deps.leases, () => isDead),
      publisher: mortal(deps.publisher, () => isDead),
    }));
    await startCampaign();
    await passTimeUntil(clock, () => fedUsers('SG').length > 0);
    isDead = true;
    startTrigger(world, 'b');
    await passTime(clock, 16_000);
    expect(feed()).toMatchObject({ owner: 'b', token: 2 });
    while (!isFed()) {
      await workOff();
      await passTime(clock, 200);
    }
    expect(fedUsers('SG')).toEqual(users);
  });

  it('are kept for as long as it takes', async () => {
    const { clock, startCampaign, feed } = setUp(userIds(100_000));
    await startCampaign();
    await passTime(clock, 60_000);
    expect(feed()).toMatchObject({ owner: 'a', token: 1, complete: false });
  });
});
