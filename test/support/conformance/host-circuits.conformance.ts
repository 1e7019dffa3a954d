import { beforeEach, describe, expect, it } from 'vitest';
import type { CallLedger } from '../../../services/dispatcher/ports/call-ledger.ts';
import type { HostCircuits } from '../../../services/dispatcher/ports/host-circuits.ts';
import { clientIdOf, jobIdOf, type JobSubject } from './job-subject.ts';

export interface HostCircuitsSubject extends JobSubject {
  circuitsOf(owner: string): HostCircuits;
  ledgerOf(owner: string): CallLedger;
}

const leaseMs = 30_000;
const key = { clientId: clientIdOf(1), host: 'one.example' };

export function describeHostCircuits(name: string, makeSubject: () => Promise<HostCircuitsSubject>): void {
  describe(`host circuits: ${name}`, () => {
    let subject: HostCircuitsSubject;
    let circuits: HostCircuits;
    beforeEach(async () => {
      subject = await makeSubject();
      circuits = subject.circuitsOf('a');
    });

    const sideline = (
      count: number,
      more: { expiresInMs?: number; host?: string; from?: number; attempt?: number } = {},
    ) =>
      subject.add(
        Array.from({ length: count }, (_, index) => ({
          jobId: jobIdOf((more.from ?? 1) + index),
          clientId: key.clientId,
          dueInMs: -1000,
          sideline: more.host ?? key.host,
          attempt: more.attempt ?? 1,
          ...(more.expiresInMs === undefined ? {} : { expiresInMs: more.expiresInMs }),
        })),
      );
    const states = async () => (await circuits.read()).map(({ clientId, host, state }) => ({ clientId, host, state }));
    const sidelined = async () => (await subject.rows()).pending.filter((job) => job.sideline !== null).length;

    it('contain no healthy hosts', async () => {
      expect(await circuits.read()).toEqual([]);
    });

    it('give the probe of an open host to one dispatcher when it is due, with one claimed job', async () => {
      await sideline(3);
      await circuits.open(key, 'status 500', 5000);
      expect(await circuits.takeProbe(key, 30_000, leaseMs)).toEqual({ kind: 'not-now' });
      await subject.passTime(5001);
      const probe = await circuits.takeProbe(key, 30_000, leaseMs);
      expect(probe).toMatchObject({ kind: 'job', job: { jobId: jobIdOf(1), epoch: 1, clientId: key.clientId } });
      expect(await subject.circuitsOf('b').takeProbe(key, 30_000, leaseMs)).toEqual({ kind: 'not-now' });
      expect(await sidelined()).toBe(2);
      expect((await subject.rows()).fires).toEqual([{ jobId: jobIdOf(1), owner: 'a', epoch: 1 }]);
    });

    it('let a probe job end or be sidelined again like any other job', async () => {
      await sideline(1);
      await circuits.open(key, 'status 500', 0);
      const probe = await circuits.takeProbe(key, 0, leaseMs);
      if (probe.kind !== 'job') throw new Error('no job to try with');
      const note = { status: 500, latencyMs: 1, error: null, answer: null };
      const result = { ...probe.job, verdict: { kind: 'sidelined', host: key.host } as const, note };
      const flushed = await subject.ledgerOf('a').flush({ results: [result], claims: [] });
      expect(flushed.recorded.size).toBe(1);
      expect(await sidelined()).toBe(1);
      expect(await circuits.takeProbe(key, 30_000, leaseMs)).toMatchObject({ kind: 'job', job: { jobId: jobIdOf(1) } });
    });

    it('use another job for each probe, those with the fewest attempts first', async () => {
      await sideline(1, { attempt: 3 });
      await sideline(2, { from: 2 });
      await circuits.open(key, 'status 500', 0);
      const note = { status: null, latencyMs: 1, error: 'connection refused', answer: null };
      const tried: string[] = [];
      for (let probes = 0; probes < 6; probes++) {
        const probe = await circuits.takeProbe(key, 0, leaseMs);
        if (probe.kind !== 'job') throw new Error('no job to try with');
        tried.push(probe.job.jobId);
        const result = { ...probe.job, verdict: { kind: 'sidelined', host: key.host } as const, note };
        await subject.ledgerOf('a').flush({ results: [result], claims: [] });
      }
      expect(tried).toEqual([2, 3, 2, 3, 1, 2].map(jobIdOf));
    });

    it('report that no job waits for a probe', async () => {
      await circuits.open(key, 'status 500', 0);
      await sideline(1, { host: 'other.example' });
      expect(await circuits.takeProbe(key, 30_000, leaseMs)).toEqual({ kind: 'nothing-waits' });
    });

    it('restore jobs once a second, those with the fewest attempts first, and are deleted with the last', async () => {
      await sideline(3, { attempt: 2 });
      await sideline(2, { from: 4 });
      await sideline(2, { host: 'other.example', from: 20 });
      await circuits.open(key, 'status 500', 60_000);
      expect(await circuits.releaseSidelined(key, 2)).toBeNull();
      await circuits.beginClosing(key);
      expect(await states()).toEqual([{ ...key, state: 'closing' }]);

      expect(await circuits.releaseSidelined(key, 2)).toBe(2);
      expect(await subject.circuitsOf('b').releaseSidelined(key, 2)).toBeNull();
      const { pending } = await subject.rows();
      expect(pending.filter(({ dueInMs }) => dueInMs !== null).map(({ jobId }) => jobId)).toEqual([
        jobIdOf(4),
        jobIdOf(5),
      ]);

      await subject.passTime(1001);
      expect(await circuits.releaseSidelined(key, 10)).toBe(3);
      expect(await states()).toEqual([]);
      expect(await sidelined()).toBe(2);
    });

    it('open again while closing, and do not change while open', async () => {
      await circuits.open(key, 'status 500', 0);
      await circuits.open(key, 'status 502', 60_000);
      expect((await circuits.read())[0]?.nextInMs).toBeLessThanOrEqual(0);
      await circuits.beginClosing(key);
      await circuits.open(key, 'status 503', 60_000);
      expect(await states()).toEqual([{ ...key, state: 'open' }]);
      expect((await circuits.read())[0]?.nextInMs).toBeGreaterThan(50_000);
    });

    it('are never probed while disabled, whatever fails, until they are set to close', async () => {
      await sideline(1);
      await circuits.disable(key, 'status 410');
      await circuits.open(key, 'status 500', 0);
      expect(await states()).toEqual([{ ...key, state: 'disabled' }]);
      expect(await circuits.takeProbe(key, 0, leaseMs)).toEqual({ kind: 'not-now' });
      await circuits.beginClosing(key);
      expect(await circuits.releaseSidelined(key, 10)).toBe(1);
    });

    it('create the missing circuit of a host with sidelined jobs, once', async () => {
      await sideline(2);
      expect([await circuits.closeOrphanedHosts(), await circuits.closeOrphanedHosts()]).toEqual([1, 0]);
      expect(await circuits.releaseSidelined(key, 10)).toBe(2);
    });

    it('end jobs that expired while they were sidelined', async () => {
      await sideline(3, { expiresInMs: -1 });
      await sideline(1, { expiresInMs: 60_000, from: 10 });
      expect(await circuits.expire(key, 2)).toBe(2);
      expect(await circuits.expire(key, 2)).toBe(1);
      const rows = await subject.rows();
      expect(rows.ended.map(({ outcome }) => outcome)).toEqual(['expired', 'expired', 'expired']);
      expect(rows.pending).toMatchObject([{ jobId: jobIdOf(10) }]);
      expect(rows.totals).toEqual([{ clientId: key.clientId, called: 0, expired: 3, dead: 0 }]);
    });
  });
}
