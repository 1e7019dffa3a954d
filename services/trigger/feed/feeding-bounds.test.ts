import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { setUp } from '../../../test/support/started-trigger.ts';
import { userIds } from '../../../test/support/trigger-fixture.ts';
import type { UsersBeyond } from '../ports/run-approvals.ts';

describe('a feed with an upper bound of users', () => {
  /**
   * Feeds a run with an upper bound of users.
   * @param beyond called when the feed reaches its bound
   */
  function bounded(users: number, beyond: (setBound: (bound: number) => void) => void = () => undefined) {
    const requested: UsersBeyond[] = [];
    const setBound = (bound: number) => {
      for (const row of world.feedRows()) row.usersAtMost = bound;
    };
    const world = setUp(userIds(users), ({ feedStore, runApprovals }) => ({
      runApprovals: {
        ...runApprovals,
        goBeyond: async (more) => {
          requested.push(more);
          beyond(setBound);
          await Promise.resolve();
        },
      },
      feedStore: {
        ...feedStore,
        claim: async (...terms) => {
          for (const row of world.feedRows()) row.usersAtMost ??= 2000;
          return feedStore.claim(...terms);
        },
      },
    }));
    return { ...world, request: requested };
  }

  it('is fed completely if its audience is within the bound', async () => {
    const { clock, startCampaign, isFed, request, fedUsers } = bounded(2000);
    await startCampaign();
    await passTime(clock, 10_000);
    expect(isFed()).toBe(true);
    expect(fedUsers('SG')).toHaveLength(2000);
    expect(request).toEqual([]);
  });

  it('feeds no user beyond the bound, and requests a larger bound', async () => {
    const { clock, startCampaign, feed, request, fedUsers } = bounded(5000);
    const { runId } = await startCampaign();
    await passTime(clock, 10_000);
    expect(feed()).toMatchObject({ complete: false, fedUsers: fedUsers('SG').length });
    expect(fedUsers('SG').length).toBeLessThanOrEqual(2000);
    expect(request[0]).toMatchObject({ runId, country: 'SG' });
  });

  it('continues if its bound is raised', async () => {
    const { clock, startCampaign, isFed, fedUsers } = bounded(5000, (setBound) => setBound(5000));
    await startCampaign();
    await passTime(clock, 10_000);
    expect(isFed()).toBe(true);
    expect(fedUsers('SG')).toHaveLength(5000);
  });
});

describe('a feed of a dry run', () => {
  it('is fed completely without messages and topics, and its run completes', async () => {
    const requested: string[] = [];
    const { clock, startCampaign, database, feed, isFed, fedUsers, references, runs } = setUp(
      userIds(2530),
      ({ topicAdmin }) => ({
        topicAdmin: {
          ...topicAdmin,
          ensureTopics: (topics) => {
            requested.push(...topics.map(({ topic }) => topic));
            return topicAdmin.ensureTopics(topics);
          },
        },
      }),
    );
    const { runId } = await startCampaign({ audience: { include: [{ segment: 'lapsed' }, { segment: 'vip' }] } });
    Object.assign(database.runs.get(runId) ?? {}, { kind: 'dry-run' });
    await passTime(clock, 30_000);
    expect(isFed()).toBe(true);
    expect(fedUsers('SG')).toHaveLength(2530);
    expect([references('SG'), requested]).toEqual([[], []]);
    expect(feed()).toMatchObject({ fedUsers: 2530, sharedUsers: 2530 });
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });
});
