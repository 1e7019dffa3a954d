import { beforeEach, describe, expect, it } from 'vitest';
import { startRun, type ExecutionSubject, type MakeExecutionSubject } from './execution-subject.ts';

export function describeFeedContexts(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`feed contexts ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    it('say what a worker has to know of each feed', async () => {
      const chain = [{ action: 'award-points', params: { points: 5, note: 'a "quoted" \\ 🦄' } }];
      const { campaignId, runId, owned } = await startRun(subject, { countries: ['SG', 'VN'], chain });
      const contexts = await subject.contexts.load(owned.map((feed) => feed.feedId));
      expect(contexts).toHaveLength(2);
      expect(contexts).toEqual(
        expect.arrayContaining(owned.map(({ feedId, country }) => ({ feedId, runId, campaignId, country, chain }))),
      );
    });

    it('leave out feeds and runs that do not exist', async () => {
      const unexpected = '0190a000-0000-7000-8000-000000000000';
      expect(await subject.contexts.load([unexpected])).toEqual([]);
      expect(await subject.contexts.admissions([unexpected])).toEqual([]);
    });

    it('let the work of a running run go, until its deadline', async () => {
      const { runId } = await startRun(subject, { deadlineSeconds: 3600 });
      expect(await subject.contexts.admissions([runId])).toEqual([{ runId, verdict: 'go' }]);
      await subject.passTime(3_600_001);
      expect(await subject.contexts.admissions([runId])).toEqual([{ runId, verdict: 'expire' }]);
    });

    it('hold the work of a run that has ended', async () => {
      const { runId } = await startRun(subject);
      await subject.runs.finish(runId, 'failed', 'no such segment');
      expect(await subject.contexts.admissions([runId])).toEqual([{ runId, verdict: 'hold' }]);
    });
  });
}
