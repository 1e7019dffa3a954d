import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { setUpOfferers, topic } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';

describe('the offer of a due job', () => {
  it('is made once, not before its due time and within 15 ms after it', async () => {
    const { clock, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    const keys = await add({ jobId: jobIdOf(1), dueInMs: 100 }, { jobId: jobIdOf(2), dueInMs: 300 });
    await passTime(clock, 99);
    expect(offered()).toEqual([]);
    await passTime(clock, 16);
    expect(offered()).toEqual([{ ...keys[0], clientId: clientIdOf(1) }]);
    await passTime(clock, 5000);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(2)]);
    await stop(offerer);
  });

  it('is made for 1,500 due jobs without a pause, in messages of about 50 jobs', async () => {
    const { clock, bus, started, stop, offered, many } = setUpOfferers();
    const offerer = await started('a');
    await many(1500);
    await passTime(clock, 300);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(1500);
    expect(bus.messages(topic).length).toBeLessThanOrEqual(1500 / 50 + 64);
    await stop(offerer);
  });

  it('is repeated until it can be published', async () => {
    const { clock, bus, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    bus.setWritable(topic, false);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 3000);
    expect(offered()).toEqual([]);
    bus.setWritable(topic, true);
    await passTime(clock, 1000);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('is not made while no dispatcher has credit', async () => {
    const { clock, taking, takes, started, stop, offered, many } = setUpOfferers();
    taking.clear();
    const offerer = await started('a');
    await many(10);
    await passTime(clock, 3000);
    expect(offered()).toEqual([]);
    takes('d', 100);
    await passTime(clock, 1100);
    expect(offered()).toHaveLength(10);
    await stop(offerer);
  });

  it('is not made while the region is inactive', async () => {
    const { clock, region, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    region.active = false;
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 5000);
    expect(offered()).toEqual([]);
    region.active = true;
    await passTime(clock, 100);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });
});
