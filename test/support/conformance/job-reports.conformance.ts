import { beforeEach, describe, expect, it } from 'vitest';
import type { JobReports } from '../../../services/api/jobs/postgres/job-reports.ts';
import type { CallLedger, ClaimedJob, JobVerdict } from '../../../services/dispatcher/ports/call-ledger.ts';
import { jobReport, readKeptReport } from '../../../shared/contracts/jobs/job-reports.ts';
import type { KeyAdvancer } from '../../../shared/ports/ordered-keys.ts';
import { clientIdOf, jobIdOf, type JobSubject, type SeedJob } from './job-subject.ts';

export interface JobReportsSubject extends JobSubject {
  reportsOf(): JobReports;
  keysOf(): KeyAdvancer;
  ledgerOf(owner: string): CallLedger;
}

const clientId = clientIdOf(1);
const hourMs = 3_600_000;
const jobId = jobIdOf(1);
const done = jobReport.parse({ outcome: 'done' });
const failed = jobReport.parse({ outcome: 'failed', reason: 'no-stock', detail: 'none left' });
const accepted = { status: 202, latencyMs: 3, error: null, answer: null };

export function describeJobReports(name: string, makeSubject: () => Promise<JobReportsSubject>): void {
  describe(`jobs that wait for a report: ${name}`, () => {
    let subject: JobReportsSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const report = (reported = done, attempt = 1) => subject.reportsOf().report(jobId, attempt, reported);
    const flush = (work: Parameters<CallLedger['flush']>[0], by = 'a') => subject.ledgerOf(by).flush(work);
    const claim = async () => (await flush({ results: [], claims: await subject.keys() })).claimed;
    const end = (job: ClaimedJob, verdict: JobVerdict) =>
      flush({
        results: [{ ...job, verdict, note: verdict.kind === 'reporting' ? accepted : { ...accepted, status: null } }],
        claims: [],
      });

    /** Returns a job that was called, and whose receiver answered 202. */
    async function acceptedJob(delayMs = hourMs, ...more: Partial<SeedJob>[]): Promise<ClaimedJob> {
      await subject.add(
        [{}, ...more].map((job, place) => ({ jobId: jobIdOf(place + 1), clientId, dueInMs: 0, ...job })),
      );
      const [job] = await claim();
      if (!job) throw new Error('nothing was claimed');
      await end(job, { kind: 'reporting', delayMs });
      return job;
    }

    it('are not claimed before their report time, keep their attempt number, and have their call stored', async () => {
      await acceptedJob();
      expect(await claim()).toEqual([]);
      const { pending, attempts, fires, ended } = await subject.rows();
      expect(pending).toMatchObject([{ jobId, attempt: 1, sideline: null }]);
      expect(pending[0]?.dueInMs).toBeGreaterThan(hourMs - 60_000);
      expect([attempts, fires, ended]).toEqual([[{ jobId, attempt: 1, status: 202 }], [], []]);
    });

    it('are claimed for judgement after their report time, and called at their retry time', async () => {
      await acceptedJob(0);
      const [lapsed] = await claim();
      expect(lapsed).toMatchObject({ jobId, attempt: 1, report: '{}' });
      if (lapsed) await end(lapsed, { kind: 'retry', delayMs: 0 });
      expect(await claim()).toMatchObject([{ jobId, attempt: 2, report: null }]);
    });

    it('are still claimed for judgement after a stopping dispatcher released them', async () => {
      await acceptedJob(0);
      const [lapsed] = await claim();
      if (lapsed) await end(lapsed, { kind: 'released', delayMs: 0 });
      expect(await claim()).toMatchObject([{ jobId, attempt: 1, report: '{}' }]);
    });

    it('end as called after the report done, and a repeated report changes nothing', async () => {
      await acceptedJob();
      expect(await report()).toEqual({ kind: 'taken' });
      expect(await report()).toEqual({ kind: 'unchanged' });
      expect(await report(failed)).toEqual({ kind: 'ended', outcome: 'called' });
      const { ended, pending, totals } = await subject.rows();
      expect([ended.map(({ outcome }) => outcome), pending]).toEqual([['called'], []]);
      expect(totals).toEqual([{ clientId, called: 1, expired: 0, dead: 0 }]);
    });

    it('are due immediately after the report failed, and a repeated report changes nothing', async () => {
      await acceptedJob();
      expect(await report(failed)).toEqual({ kind: 'taken' });
      expect(await report(failed)).toEqual({ kind: 'unchanged' });
      const [job] = await claim();
      expect(readKeptReport(job?.report ?? '')).toMatchObject({
        reason: 'no-stock',
        final: false,
        detail: 'none left',
      });
      if (job) await end(job, { kind: 'dead', cause: 'reported as failed: no-stock' });
      expect(await report(failed)).toEqual({ kind: 'unchanged' });
      expect(await report()).toEqual({ kind: 'ended', outcome: 'dead' });
    });

    it('refuse a report for now while they are called or judged', async () => {
      await subject.add([{ jobId, clientId, dueInMs: 0 }]);
      const [job] = await claim();
      expect(await report()).toEqual({ kind: 'being-called' });
      if (job) await end(job, { kind: 'reporting', delayMs: 0 });
      await claim();
      expect(await report()).toEqual({ kind: 'being-called' });
    });

    it('accept a late report if no later call was made, and refuse it otherwise', async () => {
      await acceptedJob(0);
      const [lapsed] = await claim();
      if (lapsed) await end(lapsed, { kind: 'retry', delayMs: 0 });
      expect(await report(failed)).toEqual({ kind: 'unchanged' });
      const [second] = await claim();
      expect(await report()).toEqual({ kind: 'later-attempt', attempt: 2 });
      if (second) await end(second, { kind: 'reporting', delayMs: 0 });
      expect(await report()).toEqual({ kind: 'later-attempt', attempt: 2 });
      const [again] = await claim();
      if (again) await end(again, { kind: 'retry', delayMs: hourMs });
      expect(await report(done, 2)).toEqual({ kind: 'taken' });
      expect((await subject.rows()).ended).toMatchObject([{ outcome: 'called', attempt: 3 }]);
    });

    it('refuse a report as missing if they were cancelled or never existed', async () => {
      expect(await report()).toEqual({ kind: 'missing' });
    });

    it.each([true, false])('keep their ordering key until the report, in order %s', async (isInOrder) => {
      const ordering = { key: 'merchant-1', isInOrder };
      await subject.add([1, 2].map((nth) => ({ jobId: jobIdOf(nth), clientId, dueInMs: -1000, ordering, place: nth })));
      const advance = () => subject.keysOf().advance([{ clientId, key: 'merchant-1' }]);
      await advance();
      const [job] = await claim();
      if (job) await end(job, { kind: 'reporting', delayMs: hourMs });
      await advance();
      expect(await claim()).toEqual([]);
      expect(await report()).toEqual({ kind: 'taken' });
      expect(await claim()).toMatchObject([{ jobId: jobIdOf(2) }]);
    });

    it('keep their ordering key until the report, even if an earlier job becomes ready', async () => {
      const ordering = { key: 'merchant-1', isInOrder: false };
      const add = (nth: number, dueInMs: number) =>
        subject.add([{ jobId: jobIdOf(nth), clientId, dueInMs, ordering, place: nth }]);
      const advance = () => subject.keysOf().advance([{ clientId, key: 'merchant-1' }]);
      await add(1, -1000);
      await advance();
      const [job] = await claim();
      if (job) await end(job, { kind: 'reporting', delayMs: hourMs });
      await add(2, -9000);
      await advance();
      expect(await claim()).toEqual([]);
      expect(await report()).toEqual({ kind: 'taken' });
      expect(await claim()).toMatchObject([{ jobId: jobIdOf(2) }]);
    });
  });
}
