import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Meter } from '../../../shared/ports/meter.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf } from '../../../test/support/worker-fixture.ts';

/** Creates a meter that adds up counts by name and labels, and reads gauges when a test asks for them. */
function createRecordingMeter() {
  const counts = new Map<string, number>();
  const collects: (() => void)[] = [];
  const named = (name: string, labels: Readonly<Record<string, string>>) => [name, ...Object.values(labels)].join(' ');
  const add = (key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  const meter: Meter = {
    counter: ({ name }) => ({ of: (labels) => ({ add: (by = 1) => void add(named(name, labels), by) }) }),
    histogram: ({ name }) => ({ of: (labels) => ({ observe: () => void add(named(name, labels), 1) }) }),
    gauge: ({ name, collect }) => {
      const gauge = {
        of: (labels: Readonly<Record<string, string>>) => ({
          set: (value: number) => void counts.set(named(name, labels), value),
        }),
      };
      if (collect) collects.push(() => collect(gauge));
      return gauge;
    },
  };
  const read = (key: string) => {
    for (const collect of collects) collect();
    return counts.get(key);
  };
  return { meter, read };
}

const logLine = z.looseObject({ msg: z.string(), cause: z.string().optional(), count: z.int().optional() });

function createRecordingLogger() {
  const lines: z.infer<typeof logLine>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(logLine.parse(JSON.parse(line))) });
  return { logger, lines };
}

describe("a worker's metrics and log", () => {
  it('count calls and users by action type, country and result, and include the calls in flight', async () => {
    const { meter, read } = createRecordingMeter();
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ meter }));
    const answer = endpoint.answer;
    endpoint.answer = async (seen) => {
      await clock.sleep(20);
      return seen.call.step === 1 ? answer(seen) : { kind: 'not-applied', cause: 'connection refused' };
    };
    await feed([['u1', 'u2'], ['u3']]);
    await passTime(clock, 10);
    expect(read('muster_worker_calls_in_flight award-reward SG')).toBeGreaterThan(0);
    await passTime(clock, 200);
    expect(read('muster_worker_calls_total award-reward SG reported')).toBe(2);
    expect(read('muster_worker_users_total award-reward SG reported')).toBe(3);
    expect(read('muster_worker_calls_total send-message SG not-applied')).toBe(2);
    expect(read('muster_worker_call_duration_seconds award-reward SG')).toBe(2);
    expect(read('muster_worker_calls_in_flight award-reward SG')).toBe(0);
    expect(read('muster_worker_breaker_open award-reward SG')).toBe(0);
    expect(read('muster_worker_flushed_steps_total results')).toBe(4);
    expect(read('muster_worker_flushed_steps_total handed-on')).toBe(2);
  });

  it('contain one line a minute for a repeated failure, with the number of failures', async () => {
    const { logger, lines } = createRecordingLogger();
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({}, () => ({ logger }));
    endpoint.answer = () => ({ kind: 'ambiguous', cause: 'no whole answer within 1500 ms' });
    const { runId } = await feed(Array.from({ length: 30 }, (_, batch) => [`u${batch}`]));
    await passTime(clock, 1000);
    const logged = () => lines.filter(({ msg }) => msg === 'a call brought no results');
    expect(logged()).toMatchObject([
      { actionType: 'award-reward', country: 'SG', cause: 'no whole answer within 1500 ms', count: 1 },
    ]);
    await passTime(clock, 120_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(logged()).toHaveLength(2);
    expect(logged()[1]?.count).toBeGreaterThan(5);
  });

  it('count and log an answer with users that the call did not contain', async () => {
    const { logger, lines } = createRecordingLogger();
    const { meter, read } = createRecordingMeter();
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ logger, meter }));
    endpoint.answer = ({ call }) => answerOf([...call.users, 'stranger'].map((id) => ({ id, status: 'succeeded' })));
    await feed([['u1'], ['u2']], { chain: [{ action: 'award-reward', params: {} }] });
    await passTime(clock, 1000);
    expect(lines).toMatchObject([{ msg: 'an endpoint breaks its contract', cause: 'users that were not asked for' }]);
    expect(read('muster_worker_contract_violations_total award-reward SG')).toBe(2);
  });
});
