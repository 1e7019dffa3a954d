import { beforeEach, describe, expect, it } from 'vitest';
import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
import type { OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  claimOne,
  doneOf,
  failed,
  record,
  startFedRun,
  startRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

export function describeFeedContexts(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`feed contexts ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Creates a running run with one feed, in which no user is fed. */
    async function startedFeed(changes: Parameters<typeof startRun>[1] = {}) {
      const { runId, owned } = await startRun(subject, changes);
      const [feed] = owned;
      if (!feed) throw new Error('the run has no feed');
      return { runId, feedId: feed.feedId };
    }

    /** Feeds one batch and returns its first step. */
    async function fedStep({ feedId, token }: OwnedFeed, users: readonly string[]): Promise<StepRef> {
      const batches = [{ batchNo: 1, users }];
      const rest = { invalidUsers: [], cursor: users.at(-1) ?? null, complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, batches, ...rest });
      return { feedId, batchNo: 1, step: 1 };
    }

    it('contain all that a worker needs for each feed', async () => {
      const chain = [{ action: 'award-points', params: { points: 5, note: 'a "quoted" \\ 🦄' } }];
      const { campaignId, runId, owned } = await startRun(subject, { countries: ['SG', 'VN'], chain });
      const contexts = await subject.contexts.load(owned.map((feed) => feed.feedId));
      expect(contexts).toHaveLength(2);
      const facts = { runId, campaignId, chain, unitsPerUser: null, stepModes: null };
      expect(contexts).toEqual(
        expect.arrayContaining(owned.map(({ feedId, country }) => ({ feedId, country, ...facts }))),
      );
    });

    it('omit feeds that do not exist', async () => {
      const unexpected = '0190a000-0000-7000-8000-000000000000';
      expect(await subject.contexts.load([unexpected])).toEqual([]);
      expect(await subject.contexts.admissions([unexpected])).toEqual([]);
    });

    it('admit work of an active run until its deadline', async () => {
      const { runId, feedId } = await startedFeed({ deadlineSeconds: 3600 });
      const [before] = await subject.contexts.admissions([feedId]);
      expect(before).toMatchObject({ feedId, runId, verdict: 'go', holds: [] });
      // A short time has passed since the run was due.
      expect(before?.deadlineInMs).toBeGreaterThan(3_540_000);
      expect(before?.deadlineInMs).toBeLessThanOrEqual(3_600_000);
      await subject.passTime(3_600_001);
      const [after] = await subject.contexts.admissions([feedId]);
      expect(after).toMatchObject({ verdict: 'expire' });
      expect(after?.deadlineInMs).toBeLessThan(0);
    });

    it('hold work of a run that has ended', async () => {
      const { runId, feedId } = await startedFeed();
      await subject.runs.finish(runId, 'failed', 'no such segment');
      expect(await subject.contexts.admissions([feedId])).toMatchObject([{ runId, verdict: 'hold' }]);
    });

    it('list held steps and when one of them may be tried', async () => {
      const { feedId } = await startedFeed();
      await subject.holds.hold([
        { feedId, step: 2, kind: 'fault', cause: 'HTTP 404' },
        { feedId, step: 1, kind: 'fault', cause: 'HTTP 401' },
      ]);
      const held = async () => (await subject.contexts.admissions([feedId]))[0]?.holds;
      expect(await held()).toEqual([
        { step: 1, kind: 'fault', cause: 'HTTP 401', tryDue: false },
        { step: 2, kind: 'fault', cause: 'HTTP 404', tryDue: false },
      ]);
      await subject.passTime(tryHeldEveryMs);
      expect(await held()).toMatchObject([{ tryDue: true }, { tryDue: true }]);
    });

    it('count succeeded and refused users of a step over all countries of the run', async () => {
      const { owned } = await startRun(subject, { countries: ['SG', 'VN', 'ID'] });
      const [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
      const [one, two] = await Promise.all(
        owned.slice(0, 2).map((feed) => fedStep(feed, feed.country === 'SG' ? ['u1', 'u2', 'u3'] : ['u4'])),
      );
      if (!one || !two) throw new Error('two feeds were to be fed');
      const neighbour = await startFedRun(subject, [['u9']]);
      await record(a, doneOf(await claimOne(a, one), { failures: [failed('u1'), failed('u2')], refused: 2 }));
      await record(b, doneOf(await claimOne(b, two), { failures: [failed('u4')], refused: 1 }));
      for (const step of neighbour.steps) await record(a, doneOf(await claimOne(a, step)));
      const accepted = owned.map(({ feedId }) => subject.contexts.acceptanceOf({ feedId, step: 1 }));
      expect(await Promise.all(accepted)).toEqual([
        { isAccepted: true, succeeded: 1, refused: 3 },
        { isAccepted: false, succeeded: 1, refused: 3 },
        { isAccepted: false, succeeded: 1, refused: 3 },
      ]);
      const [sg] = owned;
      const second = await subject.contexts.acceptanceOf({ feedId: sg?.feedId ?? '', step: 2 });
      expect(second).toEqual({ isAccepted: false, succeeded: 0, refused: 0 });
    });
  });
}
