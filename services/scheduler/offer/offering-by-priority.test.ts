import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Priority } from '../../../shared/domain/priorities.ts';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';

const [shop, neighbour] = [clientIdOf(1), clientIdOf(2)];

/** Counts offered jobs by priority. */
function countsOf(offered: readonly { priority?: Priority }[]) {
  const count = (wanted: Priority) => offered.filter(({ priority = 'normal' }) => priority === wanted).length;
  return { high: count('high'), normal: count('normal'), low: count('low') };
}

describe('the offers by priority', () => {
  it('include high-priority jobs at once while normal jobs of the same client wait for credit', async () => {
    const { clock, takes, started, stop, offered, many } = setUpOfferers();
    takes('d', 30, [[shop, 0]]);
    const offerer = await started('a');
    await many(1000);
    await passTime(clock, 200);
    expect(offered()).toEqual([]);
    await many(20, shop, 20_000, 'high');
    await passTime(clock, 30);
    expect(countsOf(offered())).toEqual({ high: 20, normal: 0, low: 0 });
    await stop(offerer);
  });

  it('respect the credit of each priority', async () => {
    const { clock, takes, started, stop, offered, many } = setUpOfferers();
    takes('d', 30);
    const offerer = await started('a');
    await many(100, shop, 20_000, 'high');
    await many(100, shop, 30_000);
    await passTime(clock, 100);
    expect(countsOf(offered())).toEqual({ high: 30, normal: 30, low: 0 });
    takes('d', 30, [
      [shop, 0],
      [`${shop}/high`, 7],
    ]);
    await passTime(clock, 5000);
    const { high, normal } = countsOf(offered());
    expect([normal, high > 30]).toEqual([30, true]);
    takes('d', 10_000);
    await passTime(clock, 2000);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(200);
    await stop(offerer);
  });

  it('share the rate limit of a client among its priorities without starving one', async () => {
    const { clock, started, stop, offered, many } = setUpOfferers({ [shop]: 40 });
    const offerer = await started('a');
    await many(1000);
    await many(1000, shop, 20_000, 'low');
    await many(1000, shop, 40_000, 'high');
    await passTime(clock, 1000);
    const before = offered().length;
    await passTime(clock, 10_500);
    const counts = countsOf(offered().slice(before));
    const all = counts.high + counts.normal + counts.low;
    expect(all).toBeGreaterThan(300);
    expect(counts.high / all).toBeCloseTo(16 / 21, 1);
    expect(counts.normal / all).toBeCloseTo(4 / 21, 1);
    expect(counts.low).toBeGreaterThanOrEqual(Math.floor(all / 22) - 1);
    await stop(offerer);
  });

  it('keep a client with high-priority jobs within its rate limit, and do not delay another client', async () => {
    const { clock, started, stop, offered, many } = setUpOfferers({ [shop]: 50 });
    const offerer = await started('a');
    await many(150);
    await many(150, shop, 20_000, 'high');
    await many(40, neighbour, 40_000);
    await passTime(clock, 100);
    expect(offered().filter(({ clientId }) => clientId === neighbour)).toHaveLength(40);
    await passTime(clock, 1900);
    const ofShop = offered().filter(({ clientId }) => clientId === shop).length;
    expect(ofShop).toBeGreaterThan(90);
    expect(ofShop).toBeLessThanOrEqual(113);
    await passTime(clock, 5000);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(340);
    await stop(offerer);
  });

  it('are counted once per client with waiting jobs, for all its priorities', async () => {
    const { clock, takes, started, stop, many } = setUpOfferers();
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    takes('d', 10, [
      [shop, 0],
      [`${shop}/high`, 0],
    ]);
    const offerer = await started('a', { meter });
    await many(30);
    await many(30, shop, 20_000, 'high');
    await passTime(clock, 3000);
    const { text } = await meter.expose();
    expect(text).toMatch(/^muster_job_clients_behind 1$/m);
    await stop(offerer);
  });
});
