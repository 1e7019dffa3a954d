import { beforeEach, describe, expect, it } from 'vitest';
import {
  exclusiveMarginMs,
  usualTimeoutMs,
  type CallLedger,
  type ClaimedJob,
  type JobVerdict,
} from '../../../services/dispatcher/ports/call-ledger.ts';
import type { KeyAdvancer } from '../../../shared/ports/ordered-keys.ts';
import { deadAfterMs } from '../../../shared/ports/job-nodes.ts';
import { clientIdOf, jobIdOf, type JobSubject, type SeedJob } from './job-subject.ts';

export interface KeyAdvancerSubject extends JobSubject {
  keysOf(): KeyAdvancer;
  ledgerOf(owner: string): CallLedger;
}

const clientId = clientIdOf(1);
const hourMs = 3_600_000;
const called = { status: 200, latencyMs: 1, error: null, answer: null };

export function describeKeyAdvancer(name: string, makeSubject: () => Promise<KeyAdvancerSubject>): void {
  describe(`jobs with the same ordering key: ${name}`, () => {
    let subject: KeyAdvancerSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Accepts jobs whose ids are in the opposite order of their positions. */
    const accept = (...jobs: Partial<SeedJob>[]) =>
      subject.add(
        jobs.map((job, place) => ({
          jobId: jobIdOf(100 - place),
          clientId,
          dueInMs: -1000,
          place,
          ordering: { key: 'merchant-1', isInOrder: true },
          ...job,
        })),
      );
    const advance = (key = 'merchant-1') => subject.keysOf().advance([{ clientId, key }]);
    const active = async () => (await subject.keys()).map(({ jobId }) => jobId);
    const flush = async (owner: string, work: Parameters<CallLedger['flush']>[0]) =>
      (await subject.ledgerOf(owner).flush(work)).claimed;
    const claimAll = async (owner = 'a') => flush(owner, { results: [], claims: await subject.keys() });
    const end = (job: ClaimedJob, verdict: JobVerdict = { kind: 'called' }) =>
      flush('a', { results: [{ ...job, verdict, note: called }], claims: [] });

    it('become due one after another, by ready time and then by place', async () => {
      await accept(
        { jobId: jobIdOf(2), dueInMs: -5000 },
        { jobId: jobIdOf(1), dueInMs: -9000 },
        { jobId: jobIdOf(4), dueInMs: -1000, place: 7 },
      );
      const order: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        await advance();
        await advance();
        const [job, ...others] = await claimAll();
        expect(others).toEqual([]);
        expect(await claimAll('b')).toEqual([]);
        if (job) order.push(job.jobId);
        if (job) await end(job);
      }
      expect(order).toEqual([jobIdOf(1), jobIdOf(2), jobIdOf(4)]);
      await advance();
      expect((await subject.rows()).pending).toEqual([]);
    });

    it('do not wait for jobs of another key', async () => {
      await accept({}, { ordering: { key: 'merchant-2', isInOrder: true } }, {});
      await subject.keysOf().advance(['merchant-1', 'merchant-2'].map((key) => ({ clientId, key })));
      expect((await active()).sort()).toEqual([jobIdOf(99), jobIdOf(100)]);
    });

    it('become due before an earlier job of the key that is not ready yet', async () => {
      await accept({ jobId: jobIdOf(1), dueInMs: hourMs });
      await advance();
      await accept({ jobId: jobIdOf(2) });
      await advance();
      expect(await active()).toEqual([jobIdOf(2)]);
      const [job] = await claimAll();
      if (job) await end(job);
      await advance();
      expect(await active()).toEqual([jobIdOf(1)]);
    });

    it.each([
      ['in order', true, []],
      ['exclusive', false, [jobIdOf(99)]],
    ])('%s: jobs that run while another waits for its retry', async (_name, isInOrder, others) => {
      const ordering = { key: 'merchant-1', isInOrder };
      await accept({ ordering }, { ordering });
      await advance();
      const [job] = await claimAll();
      if (job) await end(job, { kind: 'retry', delayMs: hourMs });
      await advance();
      expect((await claimAll()).map(({ jobId }) => jobId)).toEqual(others);
    });

    it.each([
      ['dead', { kind: 'dead', cause: 'answered 500' }],
      ['expired', { kind: 'expired' }],
    ] as const)('are not blocked by a job that is %s', async (_name, verdict) => {
      await accept({}, {});
      await advance();
      const [job] = await claimAll();
      if (job) await end(job, verdict);
      await advance();
      expect(await active()).toEqual([jobIdOf(99)]);
    });

    it('are blocked by a sidelined job', async () => {
      await accept({}, {});
      await advance();
      const [job] = await claimAll();
      if (job) await end(job, { kind: 'sidelined', host: 'a.example' });
      await advance();
      expect(await active()).toEqual([]);
    });

    it('wait until the call of a killed dispatcher is certainly over, not for its lease', async () => {
      const beat = (owner: string) =>
        subject.nodes.beat({ owner, kind: 'dispatcher', region: 'local', figures: {}, credit: null }, deadAfterMs);
      await accept({}, {});
      await advance();
      await Promise.all([beat('a'), beat('b')]);
      const [job] = await claimAll('a');
      expect(job?.exclusiveMs).toBe(usualTimeoutMs + exclusiveMarginMs);
      await subject.passTime(deadAfterMs + 1);
      await beat('b');
      await subject.passTime(deadAfterMs - 1000);
      await beat('b');
      await advance();
      expect(await claimAll('b')).toEqual([]);
      await subject.passTime(2000);
      await beat('b');
      expect(await claimAll('b')).toMatchObject([{ jobId: job?.jobId, epoch: 2 }]);
    });

    it('wait for the call time-out of their endpoint, and no longer than the lease', async () => {
      const [key] = await accept({})
        .then(() => advance())
        .then(() => subject.keys());
      if (!key) throw new Error('nothing is due');
      const claims = [{ ...key, timeoutMs: 3000 }];
      const [job] = await flush('a', { results: [], claims, leaseMs: 5000 });
      expect(job?.exclusiveMs).toBe(3000 + exclusiveMarginMs);
      await subject.passTime(5001);
      expect(await claimAll('b')).toMatchObject([{ jobId: job?.jobId, epoch: 2 }]);
    });

    it('continue after a crash between an end or an acceptance and the next advance', async () => {
      await accept({}, {});
      const keys = subject.keysOf();
      expect(await keys.sweep()).toBe(0);
      await subject.passTime(1100);
      expect(await keys.sweep()).toBe(1);
      const [job] = await claimAll();
      if (job) await end(job);
      await subject.passTime(1100);
      expect(await keys.sweep()).toBe(1);
      expect(await active()).toEqual([jobIdOf(99)]);
      await subject.passTime(1100);
      expect(await keys.sweep()).toBe(0);
    });

    it('expire together once the next one expires, and the others are called', async () => {
      const gone = { expiresInMs: 1000 };
      await accept(gone, gone, {}, gone);
      await subject.passTime(2000);
      await advance();
      expect((await subject.rows()).ended.map(({ outcome }) => outcome)).toEqual(['expired', 'expired']);
      const [job] = await claimAll();
      expect(job?.expiresInMs).toBeLessThan(0);
      if (job) await end(job, { kind: 'expired' });
      await advance();
      expect(await active()).toEqual([jobIdOf(98)]);
      expect((await subject.rows()).totals).toMatchObject([{ clientId, expired: 3 }]);
    });
  });
}
