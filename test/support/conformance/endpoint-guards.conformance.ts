import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointGuards, GuardReader } from '../../../shared/ports/endpoint-guards.ts';

export interface EndpointGuardsSubject {
  guardsOf(owner: string): EndpointGuards;
  reader: GuardReader;
  passTime(ms: number): Promise<void>;
}

const SG = { actionType: 'award-reward', country: 'SG' };
const ID = { actionType: 'award-reward', country: 'ID' };
const cause = 'award-reward in SG: connection refused';
/** The highest random number, which means the longest delay. */
const random = 0.999_999;

export function describeEndpointGuards(name: string, makeSubject: () => Promise<EndpointGuardsSubject>): void {
  describe(`endpoint guards ${name}`, () => {
    let subject: EndpointGuardsSubject;
    let a: EndpointGuards;
    let b: EndpointGuards;
    beforeEach(async () => {
      subject = await makeSubject();
      a = subject.guardsOf('a');
      b = subject.guardsOf('b');
    });

    const broken = { shard: SG, cause, retryAfterMs: null, random };
    const retryIn = async () => {
      const [read] = await a.read([]);
      return read?.state === 'open' ? Math.round(read.retryInMs / 100) * 100 : null;
    };
    async function openAndProbe(guards = a): Promise<void> {
      await guards.open(broken);
      await subject.passTime(1000);
      expect(await guards.takeProbe(SG, 5000)).toBe(true);
    }

    it('report nothing for healthy shards', async () => {
      expect(await a.read([])).toEqual([]);
      expect(await subject.reader.list()).toEqual([]);
    });

    it('report an open breaker to every worker, with cause and retry time', async () => {
      await a.open(broken);
      const [read, ...others] = await b.read([]);
      expect(others).toEqual([]);
      expect(read).toMatchObject({ ...SG, state: 'open', cause });
      expect(await retryIn()).toBe(1000);
      expect(await subject.reader.list()).toMatchObject([{ ...SG, state: 'open', cause, closedAt: null }]);
    });

    it('are opened by the first report, and a second report does not postpone the retry', async () => {
      await a.open(broken);
      await subject.passTime(600);
      await b.open({ ...broken, cause: 'another one' });
      expect(await retryIn()).toBe(400);
      expect(await b.read([])).toMatchObject([{ cause }]);
    });

    it('respect the retry time of the endpoint, up to a maximum', async () => {
      await a.open({ ...broken, retryAfterMs: 7000 });
      expect(await retryIn()).toBe(7000);
      await a.open({ ...broken, shard: ID, retryAfterMs: 86_400_000 });
      const read = (await b.read([])).find(({ country }) => country === 'ID');
      expect(read).toMatchObject({ state: 'open' });
      expect(read?.state === 'open' && read.retryInMs <= 300_000).toBe(true);
    });

    it('give the probe to one worker once it is due', async () => {
      await a.open(broken);
      expect(await a.takeProbe(SG, 5000)).toBe(false);
      await subject.passTime(1000);
      const taken = await Promise.all([a, b, subject.guardsOf('c')].map((guards) => guards.takeProbe(SG, 5000)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await a.takeProbe(ID, 5000)).toBe(false);
    });

    it('give the probe to another worker if its owner is silent, and ignore that owner afterwards', async () => {
      await openAndProbe();
      await subject.passTime(5000);
      expect(await b.takeProbe(SG, 5000)).toBe(true);
      await a.endProbe({ ...broken, answered: true });
      expect(await b.read([])).toMatchObject([{ state: 'open' }]);
      await a.endProbe({ ...broken, answered: false });
      expect(await a.takeProbe(SG, 5000)).toBe(false);
      await b.endProbe({ ...broken, answered: true });
      expect(await a.read([])).toMatchObject([{ state: 'slow-start' }]);
    });

    it('wait longer after each failed probe, up to a minute', async () => {
      await openAndProbe();
      const waits: (number | null)[] = [];
      for (let probe = 0; probe < 8; probe++) {
        await a.endProbe({ ...broken, answered: false, cause: `probe ${probe}` });
        const wait = await retryIn();
        waits.push(wait);
        await subject.passTime(wait ?? 0);
        expect(await a.takeProbe(SG, 5000)).toBe(true);
      }
      expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
      expect(await b.read([])).toMatchObject([{ cause: 'probe 7' }]);
    });

    it('close after a successful probe, share the slow start among active workers and end it', async () => {
      await openAndProbe();
      await a.endProbe({ ...broken, answered: true });
      await subject.passTime(1000);
      await a.read([SG]);
      await b.read([SG]);
      const c = subject.guardsOf('c');
      expect(await c.read([SG])).toMatchObject([{ ...SG, state: 'slow-start', workers: 3, rank: 2 }]);
      expect(await a.read([SG])).toMatchObject([{ workers: 3, rank: 0 }]);
      const [read] = await b.read([]);
      expect(read).toMatchObject({ workers: 3, rank: 1 });
      expect(read?.state === 'slow-start' && Math.round(read.sinceMs / 100)).toBe(10);
      expect(await subject.reader.list()).toMatchObject([{ state: 'slow-start', retryAt: null }]);
      await subject.passTime(6000);
      expect(await a.read([SG])).toMatchObject([{ workers: 1, rank: 0 }]);
      await subject.passTime(4000);
      expect(await a.read([SG])).toEqual([]);
      expect(await subject.reader.list()).toMatchObject([{ state: 'closed', cause }]);
    });

    it('close immediately without a slow start if other feeds are served, whichever worker has the probe', async () => {
      await openAndProbe();
      await b.close(SG, { startsSlowly: false });
      expect(await a.read([SG])).toEqual([]);
      expect(await subject.reader.list()).toMatchObject([{ state: 'closed', retryAt: null }]);
      await a.endProbe({ ...broken, answered: false });
      expect(await b.read([SG])).toEqual([]);
      await b.open(broken);
      expect(await retryIn()).toBe(1000);
    });

    it('close with a slow start if the endpoint works again, whichever worker has the probe', async () => {
      await openAndProbe();
      await b.close(SG, { startsSlowly: true });
      expect(await a.read([])).toMatchObject([{ ...SG, state: 'slow-start' }]);
      await a.endProbe({ ...broken, answered: false });
      expect(await a.read([])).toMatchObject([{ ...SG, state: 'slow-start' }]);
    });

    it('ignore a close of a breaker that is already closed', async () => {
      await openAndProbe();
      await a.endProbe({ ...broken, answered: true });
      await b.close(SG, { startsSlowly: false });
      await b.close(ID, { startsSlowly: false });
      expect(await a.read([])).toMatchObject([{ ...SG, state: 'slow-start' }]);
    });

    it('wait longer after a failure during the slow start, but not after a healthy period', async () => {
      await openAndProbe();
      await a.endProbe({ ...broken, answered: true });
      await b.open(broken);
      expect(await retryIn()).toBe(2000);
      await subject.passTime(2000);
      await b.takeProbe(SG, 5000);
      await b.endProbe({ ...broken, answered: true });
      await subject.passTime(60_000);
      await b.open(broken);
      expect(await retryIn()).toBe(1000);
    });
  });
}
