import { beforeEach, describe, expect, it } from 'vitest';
import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
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

    /** A running run of one feed, not a user fed. */
    async function startedFeed(changes: Parameters<typeof startRun>[1] = {}) {
      const { runId, owned } = await startRun(subject, changes);
      const [feed] = owned;
      if (!feed) throw new Error('the run has no feed');
      return { runId, feedId: feed.feedId };
    }

    it('say what a worker has to know of each feed', async () => {
      const chain = [{ action: 'award-points', params: { points: 5, note: 'a "quoted" \\ 🦄' } }];
      const { campaignId, runId, owned } = await startRun(subject, { countries: ['SG', 'VN'], chain });
      const contexts = await subject.contexts.load(owned.map((feed) => feed.feedId));
      expect(contexts).toHaveLength(2);
      const facts = { runId, campaignId, chain, unitsPerUser: null };
      expect(contexts).toEqual(
        expect.arrayContaining(owned.map(({ feedId, country }) => ({ feedId, country, ...facts }))),
      );
    });

    it('leave out feeds that do not exist', async () => {
      const unexpected = '0190a000-0000-7000-8000-000000000000';
      expect(await subject.contexts.load([unexpected])).toEqual([]);
      expect(await subject.contexts.admissions([unexpected])).toEqual([]);
    });

    it('let the work of a running run go, until its deadline', async () => {
      const { runId, feedId } = await startedFeed({ deadlineSeconds: 3600 });
      const [before] = await subject.contexts.admissions([feedId]);
      expect(before).toMatchObject({ feedId, runId, verdict: 'go', steps: [] });
      // The run was due a moment ago.
      expect(before?.deadlineInMs).toBeGreaterThan(3_540_000);
      expect(before?.deadlineInMs).toBeLessThanOrEqual(3_600_000);
      await subject.passTime(3_600_001);
      const [after] = await subject.contexts.admissions([feedId]);
      expect(after).toMatchObject({ verdict: 'expire' });
      expect(after?.deadlineInMs).toBeLessThan(0);
    });

    it('hold the work of a run that has ended', async () => {
      const { runId, feedId } = await startedFeed();
      await subject.runs.finish(runId, 'failed', 'no such segment');
      expect(await subject.contexts.admissions([feedId])).toMatchObject([{ runId, verdict: 'hold' }]);
    });

    it('tell of each step who succeeded, who was refused, and whether it is held', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1', 'u2', 'u3'], ['u4']]);
      const [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
      const [one, two] = steps;
      if (!one || !two) throw new Error('two batches were fed');
      await record(a, doneOf(await claimOne(a, one), { failures: [failed('u1'), failed('u2')], refused: 1 }));
      await record(b, doneOf(await claimOne(b, two)));
      await subject.holds.hold([{ feedId, step: 2, cause: 'HTTP 404' }]);
      const admitted = async () => (await subject.contexts.admissions([feedId]))[0]?.steps;
      expect(await admitted()).toEqual([
        { step: 1, hold: null, succeeded: 2, refused: 1 },
        { step: 2, hold: { cause: 'HTTP 404', tryDue: false }, succeeded: 0, refused: 0 },
      ]);
      await subject.passTime(tryHeldEveryMs);
      expect((await admitted())?.[1]?.hold).toEqual({ cause: 'HTTP 404', tryDue: true });
    });
  });
}
