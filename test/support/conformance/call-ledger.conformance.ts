import { deadAfterMs } from '../../../shared/ports/job-nodes.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallLedger, CallNote, ClaimedJob, JobVerdict } from '../../../services/dispatcher/ports/call-ledger.ts';
import type { JobKey } from '../../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf, type JobSubject, type SeedJob } from './job-subject.ts';

export interface CallLedgerSubject extends JobSubject {
  ledgerOf(owner: string): CallLedger;
}

export const ledgerLeaseMs = 30_000;
const client = clientIdOf(1);

export function describeCallLedger(name: string, makeSubject: () => Promise<CallLedgerSubject>): void {
  describe(`call ledger: ${name}`, () => {
    let subject: CallLedgerSubject;
    let ledger: CallLedger;
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
    });

    async function added(...jobs: Partial<SeedJob>[]): Promise<JobKey[]> {
      return subject.add(
        jobs.map((job, index) => ({ jobId: jobIdOf(index + 1), clientId: client, dueInMs: -1000, ...job })),
      );
    }

    async function claim(keys: readonly JobKey[], by = ledger): Promise<ClaimedJob[]> {
      return (await by.flush({ results: [], claims: keys })).claimed;
    }

    async function claimOne(keys: readonly JobKey[], by = ledger): Promise<ClaimedJob> {
      const [first] = await claim(keys, by);
      if (!first) throw new Error('nothing was claimed');
      return first;
    }

    const end = (job: ClaimedJob, verdict: JobVerdict, note: Partial<CallNote> = {}, by = ledger) =>
      by.flush({ results: [resultOf(job, verdict, note)], claims: [] });

    it('gives a due job to the first claim, with all fields of the call', async () => {
      const keys = await added({
        url: 'https://one.example/',
        body: '{"a":"ü\\\\n"}',
        expiresInMs: 60_000,
        attempt: 3,
      });
      const [job] = await claim(keys);
      expect(job).toMatchObject({ ...keys[0], clientId: client, epoch: 1, attempt: 3, method: 'POST' });
      expect(job).toMatchObject({ url: 'https://one.example/', body: '{"a":"ü\\\\n"}', headers: null });
      expect(job?.expiresInMs).toBeGreaterThan(50_000);
      expect(await claim(keys, subject.ledgerOf('b'))).toEqual([]);
      expect((await subject.rows()).fires).toEqual([{ jobId: jobIdOf(1), owner: 'a', epoch: 1 }]);
    });

    it('gives no job that is not due, was cancelled, or is claimed under an outdated key', async () => {
      const keys = await added({ dueInMs: 60_000 }, {}, {});
      await subject.cancel(jobIdOf(2));
      const moved = keys.map((key, index) => (index === 2 ? { ...key, dueUs: key.dueUs + 1 } : key));
      const { claimed, early } = await ledger.flush({ results: [], claims: moved });
      expect(claimed).toEqual([]);
      // Only the job that is not due yet is returned as early. The others count as missing.
      expect(early).toEqual([{ ...keys[0], clientId: client }]);
      expect((await subject.rows()).fires).toEqual([]);
    });

    it('gives a job to another dispatcher after its lease, and ignores results of the previous owner', async () => {
      const keys = await added({});
      const zombie = await claimOne(keys);
      await subject.passTime(ledgerLeaseMs + 1);
      const current = await claimOne(keys, subject.ledgerOf('b'));
      expect(current.epoch).toBe(2);

      expect((await end(zombie, { kind: 'called' }, { status: 200 })).recorded.size).toBe(0);
      expect(await subject.rows()).toMatchObject({ ended: [], pending: [{ jobId: jobIdOf(1) }], totals: [] });

      const recorded = await end(current, { kind: 'called' }, { status: 204 }, subject.ledgerOf('b'));
      expect([...recorded.recorded]).toEqual([jobIdOf(1)]);
      expect((await subject.rows()).ended).toMatchObject([{ status: 204 }]);
    });

    it('keeps a claim for the lease that the claim names', async () => {
      const keys = await added({});
      const work = { results: [], claims: keys, leaseMs: 2 * ledgerLeaseMs };
      expect((await ledger.flush(work)).claimed).toHaveLength(1);
      await subject.passTime(ledgerLeaseMs + 1);
      expect((await subject.ledgerOf('b').flush(work)).claimed).toEqual([]);
      await subject.passTime(ledgerLeaseMs + 1);
      expect((await subject.ledgerOf('b').flush(work)).claimed).toMatchObject([{ epoch: 2 }]);
    });

    const beat = async (...owners: string[]) => {
      for (const owner of owners) {
        await subject.nodes.beat(
          { owner, kind: 'dispatcher', region: 'local', figures: {}, credit: null },
          deadAfterMs,
        );
      }
    };

    it('gives a job to another dispatcher ten seconds after the last heartbeat of its owner', async () => {
      await beat('a', 'b');
      const keys = await added({});
      await claimOne(keys);
      await subject.passTime(deadAfterMs - 1000);
      await beat('b');
      expect(await claim(keys, subject.ledgerOf('b'))).toEqual([]);
      await subject.passTime(1001);
      expect(await claim(keys, subject.ledgerOf('b'))).toMatchObject([{ epoch: 2 }]);
    });

    it('gives the job of a dispatcher that has left to another one immediately', async () => {
      await beat('a', 'b');
      const keys = await added({});
      await claimOne(keys);
      await subject.passTime(deadAfterMs - 1000);
      await beat('a', 'b');
      await subject.passTime(1001);
      expect(await claim(keys, subject.ledgerOf('b'))).toEqual([]);
      await subject.nodes.leave('a');
      expect(await claim(keys, subject.ledgerOf('b'))).toMatchObject([{ epoch: 2 }]);
    });

    it('gives no job to another dispatcher after a database outage until its owner had time for a heartbeat', async () => {
      await beat('a', 'b');
      const keys = await added({});
      const before = await claimOne(keys);
      await subject.passTime(deadAfterMs * 1.5);
      await beat('b');
      expect(await claim(keys, subject.ledgerOf('b'))).toEqual([]);
      await beat('a');
      await subject.passTime(deadAfterMs - 1000);
      await beat('a', 'b');
      await subject.passTime(1001);
      expect(await claim(keys, subject.ledgerOf('b'))).toEqual([]);
      expect((await end(before, { kind: 'called' }, { status: 200 })).recorded.size).toBe(1);
    });

    it('stores the result of a called job once and deletes the job', async () => {
      const keys = await added({});
      const job = await claimOne(keys);
      await end(job, { kind: 'called' }, { status: 200, latencyMs: 12.4, answer: 'thanks "\\"' });
      expect((await end(job, { kind: 'called' }, { status: 200 })).recorded.size).toBe(0);
      const rows = await subject.rows();
      expect(rows).toMatchObject({ pending: [], fires: [], attempts: [], dead: [] });
      const gone = {
        jobId: jobIdOf(1),
        outcome: 'called',
        attempt: 1,
        status: 200,
        error: null,
        answer: 'thanks "\\"',
      };
      expect(rows.ended).toEqual([gone]);
      expect(rows.totals).toEqual([{ clientId: client, called: 1, expired: 0, dead: 0 }]);
    });

    it('keeps a dead job for a replay and counts it as dead', async () => {
      const job = await claimOne(await added({}));
      await end(job, { kind: 'dead', cause: 'status 500' }, { status: 500, error: 'status 500' });
      expect(await subject.rows()).toMatchObject({
        pending: [],
        dead: [{ jobId: jobIdOf(1), cause: 'status 500' }],
        ended: [{ outcome: 'dead', error: 'status 500' }],
        totals: [{ called: 0, expired: 0, dead: 1 }],
      });
    });

    it('reschedules a job for a retry with the next attempt number, and stores the failed attempt', async () => {
      const keys = await added({});
      await end(await claimOne(keys), { kind: 'retry', delayMs: 60_000 }, { status: 503 });
      const rows = await subject.rows();
      expect(rows).toMatchObject({ fires: [], ended: [], attempts: [{ jobId: jobIdOf(1), attempt: 1, status: 503 }] });
      expect(rows.pending).toMatchObject([{ attempt: 2, sideline: null }]);
      expect(rows.pending[0]?.dueInMs).toBeGreaterThan(50_000);
      expect(await claim(keys)).toEqual([]);
    });

    it('releases a job that was not called under the same attempt number', async () => {
      await end(await claimOne(await added({})), { kind: 'released', delayMs: 60_000 });
      expect(await subject.rows()).toMatchObject({ attempts: [], pending: [{ attempt: 1 }], fires: [] });
    });

    it('sidelines a job under its host, so that no dispatcher claims it', async () => {
      const keys = await added({});
      await end(await claimOne(keys), { kind: 'sidelined', host: 'one.example:443' });
      expect((await subject.rows()).pending).toEqual([
        { jobId: jobIdOf(1), attempt: 1, dueInMs: null, sideline: 'one.example:443' },
      ]);
      expect(await claim(keys)).toEqual([]);
    });

    it('returns an expired job with its expiry at the claim, and ends it as expired', async () => {
      const job = await claimOne(await added({ expiresInMs: -1 }));
      expect(job.expiresInMs).toBeLessThanOrEqual(0);
      await end(job, { kind: 'expired' });
      expect(await subject.rows()).toMatchObject({
        pending: [],
        ended: [{ outcome: 'expired' }],
        totals: [{ expired: 1 }],
      });
    });

    it('stores many results and makes many claims in one flush, each independently', async () => {
      const keys = await added(...Array.from({ length: 90 }, (_, index) => ({ clientId: clientIdOf(index % 3) })));
      const jobs = await claim(keys.slice(0, 60));
      expect(jobs).toHaveLength(60);
      const verdicts = [{ kind: 'called' }, { kind: 'retry', delayMs: 1000 }, { kind: 'dead', cause: 'no' }] as const;
      const results = jobs.map((job, index) => resultOf(job, verdicts[index % 3] ?? { kind: 'called' }, {}));
      const flushed = await ledger.flush({ results, claims: keys.slice(60) });
      expect(flushed.recorded.size).toBe(60);
      expect(flushed.claimed).toHaveLength(30);
      const rows = await subject.rows();
      expect([rows.pending.length, rows.fires.length, rows.ended.length]).toEqual([50, 30, 40]);
      expect([rows.attempts.length, rows.dead.length]).toEqual([20, 20]);
      const sums = rows.totals.map(({ called, dead }) => called + dead).reduce((sum, each) => sum + each, 0);
      expect(sums).toBe(40);
    });

    it('returns a job once if one flush claims it twice', async () => {
      const keys = await added({});
      expect(await claim([...keys, ...keys])).toHaveLength(1);
    });

    it('claims nothing for a region after a switch that the region has not seen, and still stores results', async () => {
      const keys = await added({}, {});
      const job = await claimOne(keys.slice(0, 1));
      await subject.switchRegion('local');
      expect(await claim(keys.slice(1))).toEqual([]);
      expect((await end(job, { kind: 'called' })).recorded.size).toBe(1);
    });
  });
}

function resultOf(job: ClaimedJob, verdict: JobVerdict, note: Partial<CallNote>) {
  const { partition, dueUs, jobId, epoch } = job;
  const whole = { status: null, latencyMs: null, error: null, answer: null, ...note };
  return { partition, dueUs, jobId, epoch, verdict, note: whole };
}
