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
      const { campaign, run, owned } = await startRun(subject, { countries: ['SG', 'VN'], chain });
      const contexts = await subject.contexts.load(owned.map((feed) => feed.feed));
      expect(contexts).toHaveLength(2);
      expect(contexts).toEqual(
        expect.arrayContaining(owned.map(({ feed, country }) => ({ feed, run, campaign, country, chain }))),
      );
    });

    it('leave out feeds and runs that do not exist', async () => {
      const stranger = '0190a000-0000-7000-8000-000000000000';
      expect(await subject.contexts.load([stranger])).toEqual([]);
      expect(await subject.contexts.admissions([stranger])).toEqual([]);
    });

    it('let the work of a running run go, until its deadline', async () => {
      const { run } = await startRun(subject, { deadlineSeconds: 3600 });
      expect(await subject.contexts.admissions([run])).toEqual([{ run, verdict: 'go' }]);
      await subject.passTime(3_600_001);
      expect(await subject.contexts.admissions([run])).toEqual([{ run, verdict: 'expire' }]);
    });

    it('hold the work of a run that has ended', async () => {
      const { run } = await startRun(subject);
      await subject.runs.finish(run, 'failed', 'no such segment');
      expect(await subject.contexts.admissions([run])).toEqual([{ run, verdict: 'hold' }]);
    });
  });
}
