import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { passTime, wakeUpsWithin } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createNodeReporter } from './report-node.ts';

function given() {
  const clock = createSettableClock();
  /** The time of each report, and the number of references received until then. */
  const reported: { atMs: number; received: number }[] = [];
  /** The times of reports that contain the calls of each client. */
  const callsReportedAtMs: number[] = [];
  /** The times of reports that contain call durations. */
  const durationsReportedAtMs: number[] = [];
  let [received, startMs] = [0, clock.nowMs()];
  let onWork: () => void = () => undefined;
  const reporter = createNodeReporter({
    nodes: {
      beat: ({ calls, durations }) => {
        if (calls) callsReportedAtMs.push(clock.nowMs() - startMs);
        if (durations) durationsReportedAtMs.push(clock.nowMs() - startMs);
        reported.push({ atMs: clock.nowMs() - startMs, received });
        return Promise.resolve();
      },
      leave: () => Promise.resolve(),
      dispatchers: () => Promise.resolve(['d']),
    },
    dispatcher: {
      levels: () => ({ queued: 0, waiting: 0, inFlight: 0 }),
      get received() {
        return received;
      },
      handled: 0,
      credit: () => ({ toAnyClient: 10, toClients: {} }),
      calls: () => ({ shop: { underWay: 1, slots: 2, lastMinute: 3 } }),
      durations: () => ({ forMs: 600_000, byEndpoint: new Map([['shop', [0, 3]]]) }),
      beaten: () => undefined,
      onWork: (listener) => {
        onWork = listener;
      },
    },
    owner: 'd',
    region: 'local',
    heartbeat: createHeartbeat(),
    clock,
    logger: pino({ level: 'silent' }),
  });
  const come = (references: number) => {
    received += references;
    onWork();
  };
  const forget = () => {
    startMs = clock.nowMs();
    reported.length = 0;
    callsReportedAtMs.length = 0;
    durationsReportedAtMs.length = 0;
  };
  return {
    clock,
    reporter,
    report: reported,
    callsReportAtMs: callsReportedAtMs,
    durationsReportAtMs: durationsReportedAtMs,
    come,
    forget,
  };
}

describe('the report of a dispatcher', () => {
  it('is sent every two seconds while no references arrive, without other wake-ups of the process', async () => {
    const { clock, reporter, report, forget } = given();
    reporter.start();
    await passTime(clock, 10_000);
    forget();
    expect(await wakeUpsWithin(clock, 10_000)).toBeLessThanOrEqual(10);
    expect(report).toHaveLength(5);
    await reporter.stop();
  });

  it('is sent at once for the first reference after a pause, and every 100 ms while more arrive', async () => {
    const { clock, reporter, report, come, forget } = given();
    reporter.start();
    await passTime(clock, 10_500);
    forget();
    for (let brought = 0; brought < 30; brought++) {
      come(1);
      await passTime(clock, 10);
    }
    const [first, ...others] = report;
    expect(first).toEqual({ atMs: 0, received: 1 });
    expect(others).toEqual([100, 200, 300].map((atMs) => ({ atMs, received: atMs / 10 })));
    await passTime(clock, 1900);
    expect(report).toHaveLength(4);
    await reporter.stop();
  });

  it('contains the calls by client at most every two seconds', async () => {
    const { clock, reporter, report, callsReportAtMs, come, forget } = given();
    reporter.start();
    await passTime(clock, 10_500);
    forget();
    for (let brought = 0; brought < 500; brought++) {
      come(1);
      await passTime(clock, 10);
    }
    expect(report.length).toBeGreaterThan(40);
    expect(callsReportAtMs.length).toBeLessThanOrEqual(3);
    expect(callsReportAtMs.slice(1).every((atMs, index) => atMs - (callsReportAtMs[index] ?? 0) >= 2000)).toBe(true);
    await reporter.stop();
  });

  it('contains the call durations every ten seconds', async () => {
    const { clock, reporter, report, durationsReportAtMs, come } = given();
    reporter.start();
    for (let brought = 0; brought < 250; brought++) {
      come(1);
      await passTime(clock, 100);
    }
    expect(report.length).toBeGreaterThan(200);
    expect(durationsReportAtMs).toHaveLength(3);
    expect(
      durationsReportAtMs.slice(1).every((atMs, index) => atMs - (durationsReportAtMs[index] ?? 0) >= 10_000),
    ).toBe(true);
    await reporter.stop();
  });
});
