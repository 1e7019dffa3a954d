import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { failingOnce, failureOf, mortal, userIds } from '../../../test/support/trigger-fixture.ts';
import { setUp, startTrigger } from '../../../test/support/started-trigger.ts';

describe('the feeding of a run', () => {
  it('writes the whole segment in ascending order, into full batches and one short batch at the end', async () => {
    const users = userIds(2530);
    const { clock, startCampaign, database, fedUsers, isFed } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users);
    const sizes = [...database.batches.values()].map((batch) => batch.users.length);
    expect(sizes).toEqual([...Array.from({ length: 25 }, () => 100), 30]);
  });

  it("publishes a reference to every batch to the topic of the first step in the batch's country", async () => {
    const { clock, startCampaign, references, isFed } = setUp(userIds(2530));
    await startCampaign();
    await passTimeUntil(clock, isFed);
    await passTime(clock, 0);
    const numbers = references('SG').flatMap(({ batchNos }) => batchNos);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
    expect(references('SG').every(({ step, lost }) => step === 1 && lost === undefined)).toBe(true);
    expect(references('ID')).toEqual([]);
  });

  it('publishes no reference to a batch before its commit', async () => {
    const { clock, startCampaign, references } = setUp(userIds(250), ({ feedStore }) => ({
      feedStore: { ...feedStore, writePages: () => new Promise(() => undefined) },
    }));
    await startCampaign();
    await passTime(clock, 10_000);
    expect(references('SG')).toEqual([]);
  });

  it('records users with an invalid id as failed, stores their ids with escapes, and continues with the other users', async () => {
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

  it('continues after a page whose last id cannot be used as a cursor', async () => {
    const users = [...userIds(999, 'a'), 'b\ud800', ...userIds(1500, 'c')];
    const { clock, startCampaign, fedUsers, isFed, feed } = setUp(users);
    await startCampaign();
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users.filter((id) => id.isWellFormed()));
    expect(feed()).toMatchObject({ fedUsers: users.length });
  });

  it('publishes the same references again after a failed attempt', async () => {
    const { clock, startCampaign, references, isFed } = setUp(userIds(250), (deps) => ({
      publisher: failingOnce(deps.publisher, 'publish'),
    }));
    await startCampaign();
    await passTimeUntil(clock, isFed);
    await passTime(clock, 1000);
    expect(references('SG').flatMap(({ batchNos }) => batchNos)).toEqual([1, 2, 3]);
  });

  it('reads its cursor from the database after a write whose result is unknown', async () => {
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

describe('a failing segmentation service', () => {
  it('stalls the feed with a cause until the service answers again', async () => {
    const { clock, segmentation, startCampaign, feed, isFed } = setUp(userIds(2500));
    segmentation.pageFailure = failureOf('unavailable');
    await startCampaign();
    await passTime(clock, 1000);
    expect(feed()?.stalled).toMatch(/^segment "lapsed-riders" in SG: .*does not answer \(scripted unavailable\)/);
    segmentation.pageFailure = null;
    await passTimeUntil(clock, isFed);
    expect(feed()).toMatchObject({ stalled: null, stalls: 0, fedUsers: 2500 });
  });

  it('is called at growing intervals', async () => {
    const { clock, segmentation, startCampaign } = setUp(userIds(2500));
    segmentation.pageFailure = failureOf('unavailable');
    await startCampaign();
    await passTime(clock, 600_000);
    expect(segmentation.pagesRequested.length).toBeLessThan(60);
  });

  it('is called again after 10 s, and later every 5 minutes, if it violates its contract', async () => {
    const { clock, segmentation, startCampaign, feed } = setUp(userIds(2500));
    segmentation.tamper = (page) => page.toReversed();
    await startCampaign();
    await passTime(clock, 9000);
    expect(segmentation.pagesRequested).toHaveLength(1);
    await passTime(clock, 2500);
    expect(segmentation.pagesRequested).toHaveLength(2);
    await passTime(clock, 900_000);
    const requested = segmentation.pagesRequested.length;
    await passTime(clock, 900_000);
    expect(segmentation.pagesRequested.length - requested).toBe(3);
    expect(feed()).toMatchObject({ owner: null });
  });

  it('feeds no user of an unsorted page, and continues once the page is sorted', async () => {
    const users = userIds(2500);
    const { clock, segmentation, startCampaign, feed, fedUsers, isFed } = setUp(users);
    segmentation.tamper = (page) => page.toReversed();
    await startCampaign();
    await passTime(clock, 60_000);
    expect(fedUsers('SG')).toEqual([]);
    expect(feed()?.stalled).toMatch(
      /^segment "lapsed-riders" in SG: .*strictly ascending.*until the service is corrected$/,
    );
    segmentation.tamper = null;
    await passTimeUntil(clock, isFed);
    expect(fedUsers('SG')).toEqual(users);
  });

  it('leaves the cause of an unsorted page on the feed while earlier pages are still being written', async () => {
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

  it('does not prevent a trigger with 520 stalled feeds from feeding a new run', async () => {
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

  it('may lose its snapshot: the feed continues after its cursor in a new snapshot', async () => {
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
    expect(new Set(segmentation.pagesRequested.map(({ snapshot }) => snapshot))).toEqual(new Set(['s1', 's2']));
    expect(feed()?.audience.include).toMatchObject([{ snapshot: 's2' }]);
  });

  it('causes a warning if a segment has over 5 % fewer users than estimated', async () => {
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

describe('the ownership of a feed', () => {
  it('goes to another trigger at once if its trigger stops, and the other one continues after the cursor', async () => {
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

  it('goes to another trigger after the lease of its killed trigger, and no user is fed twice', async () => {
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

  it('stays with the same trigger until the feed is complete', async () => {
    const { clock, startCampaign, feed } = setUp(userIds(100_000));
    await startCampaign();
    await passTime(clock, 60_000);
    expect(feed()).toMatchObject({ owner: 'a', token: 1, complete: false });
  });
});
