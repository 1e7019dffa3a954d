import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { ShardRefusal, ShardReport } from '../../../shared/ports/shard-reports.ts';
import { createShardReporter, type ShardReporter } from './report-shards.ts';
import type { ShardLevels } from './worker-meter.ts';

const shardOf = (country: string) => ({ actionType: 'award-reward', country });
const idle = { inFlight: 0, limit: 8, waiting: 0, isBreakerOpen: false, recorded: 0 };

describe("a worker's report of its shards", () => {
  const clock = createSettableClock();
  let levels: ShardLevels[];
  let refusals: ShardRefusal[];
  let reported: (string | readonly ShardReport[])[];
  let reporter: ShardReporter;
  beforeEach(() => {
    levels = [{ ...idle, shard: shardOf('SG') }];
    refusals = [];
    reported = [];
    reporter = createShardReporter({
      worker: 'w',
      reports: {
        report: (_worker, reports) => Promise.resolve(void reported.push(reports)),
        withdraw: (_worker, shards) =>
          Promise.resolve(void reported.push(`gone: ${shards?.map(({ country }) => country).join() ?? 'all'}`)),
      },
      levels: () => levels,
      refusals: () => refusals,
      clock,
      logger: pino({ level: 'silent' }),
    });
  });

  it('is sent once in 20 s while nothing changes', async () => {
    reporter.start();
    await passTime(clock, 39_000);
    expect(reported).toHaveLength(2);
    await reporter.stop();
  });

  it('is sent within 2 s for a changed shard, and only for that shard, with the rate since the last report', async () => {
    levels = [...levels, { ...idle, shard: shardOf('ID') }];
    reporter.start();
    await passTime(clock, 1000);
    reported = [];
    levels = levels.map((level) => ({ ...level, ...(level.shard.country === 'SG' && { inFlight: 3, recorded: 50 }) }));
    await passTime(clock, 1100);
    expect(reported).toEqual([
      [
        {
          ...shardOf('SG'),
          inFlight: 3,
          callLimit: 8,
          waiting: 0,
          breakerOpen: false,
          batchesPerSecond: 25,
          refusal: null,
        },
      ],
    ]);
    await reporter.stop();
  });

  it('contains the reason why a shard is not served, until the worker serves it or should no longer do so', async () => {
    refusals = [
      { ...shardOf('ID'), cause: 'its calls may take too long' },
      { ...shardOf('VN'), cause: 'its calls may take too long' },
    ];
    reporter.start();
    await passTime(clock, 1000);
    expect(reported).toEqual([
      [
        expect.objectContaining({ ...shardOf('ID'), callLimit: 0, refusal: 'its calls may take too long' }),
        expect.objectContaining({ ...shardOf('VN'), refusal: 'its calls may take too long' }),
        expect.objectContaining({ ...shardOf('SG'), refusal: null }),
      ],
    ]);
    reported = [];
    refusals = [];
    levels = [...levels, { ...idle, shard: shardOf('ID') }];
    await passTime(clock, 2000);
    expect(reported).toEqual(['gone: VN', [expect.objectContaining({ ...shardOf('ID'), refusal: null })]]);
    await reporter.stop();
  });

  it('is withdrawn for shards that are no longer served, and for all shards when the worker stops', async () => {
    reporter.start();
    await passTime(clock, 1000);
    reported = [];
    levels = [];
    await passTime(clock, 2000);
    await reporter.stop();
    expect(reported).toEqual(['gone: SG', 'gone: all']);
  });
});
