import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { isSampled, rootSpanOf, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import { createMemoryDueSchedules } from '../../../test/support/memory/due-schedules.ts';
import { createMemoryLeases } from '../../../test/support/memory/leases.ts';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { createMemoryScheduleStore } from '../../../test/support/memory/schedule-store.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRecordedSpans } from '../../../test/support/recorded-spans.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { DueSchedules } from '../ports/due-schedules.ts';
import { createRecurring } from './recurring.ts';

const leaseMs = 9000;
const minuteMs = 60_000;

function setUp() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const store = createMemoryScheduleStore({ database });
  const logger = pino({ level: 'silent' });
  const changes = createMemoryChangeFeed();
  const meter = createPrometheusMeter({ logger });
  const nodeOf = (
    owner: string,
    region = 'local',
    dueSchedules = createMemoryDueSchedules({ database }),
    tracing: Tracing | null = null,
  ) => {
    const leases = createMemoryLeases({ database });
    return createRecurring({
      leases,
      dueSchedules,
      region,
      owner,
      leaseMs,
      pollMs: 200,
      changes,
      keptDays: 90,
      clock,
      logger,
      meter,
      tracing,
    });
  };
  const add = async (overlap: 'allow' | 'buffer-one' = 'allow') => {
    const recurrence = {
      cron: '* * * * *',
      zone: 'UTC',
      misfire: 'fire-once',
      catchUpSeconds: 3600,
      spreadSeconds: 0,
    } as const;
    const call = {
      url: 'https://example.com',
      method: 'POST' as const,
      headers: null,
      body: null,
      relevancySeconds: null,
      tags: [],
    };
    const definition = { recurrence: { ...recurrence, overlap }, call };
    return await store.create({ name: 'each minute', clientId: crypto.randomUUID(), definition, note: null });
  };
  /** Returns the times at which the occurrences fired, in minutes. */
  const fired = () =>
    [...database.recurring.occurrences.values()]
      .filter(({ state }) => state === 'fired')
      .map(({ scheduledForMs }) => (scheduledForMs - Date.UTC(2026, 0, 1)) / minuteMs);
  return { clock, database, changes, nodeOf, add, fired, meter };
}

describe('a recurring schedule', () => {
  it('is fired by the leader of its region, and by the next leader after that one stops', async () => {
    const { clock, nodeOf, add, fired, database } = setUp();
    const [first, second] = [nodeOf('a'), nodeOf('b')];
    await add();
    first.start();
    second.start();
    await passTime(clock, 2 * minuteMs);
    expect(fired()).toEqual([1, 2]);
    await first.stopIntake();
    await first.finishWork();
    await passTime(clock, minuteMs);
    expect(fired()).toEqual([1, 2, 3]);
    expect([...database.recurring.occurrences.values()].map(({ owner }) => owner)).toEqual(['a', 'a', 'b']);
    await second.stopIntake();
  });

  it.each(['before', 'after'] as const)('fires once if the transaction fails %s its commit', async (moment) => {
    const { clock, nodeOf, add, fired, database } = setUp();
    const node = nodeOf('a', 'local', brokenOnce(createMemoryDueSchedules({ database }), moment));
    await add();
    await passTime(clock, minuteMs);
    node.start();
    await passTime(clock, 10_000);
    expect(fired()).toEqual([1]);
    expect(database.scheduled.jobs.size).toBe(1);
    await node.stopIntake();
  });

  it('is decided again one second after each database error', async () => {
    const { clock, nodeOf, database } = setUp();
    const triedAtMs: number[] = [];
    const recur = () => {
      triedAtMs.push(clock.monotonicMs());
      return Promise.reject(new Error('scripted failure'));
    };
    const node = nodeOf('a', 'local', { ...createMemoryDueSchedules({ database }), recur });
    node.start();
    await passTime(clock, 3500);
    expect(triedAtMs.slice(1).map((atMs, index) => atMs - (triedAtMs[index] ?? 0))).toEqual([1000, 1000, 1000]);
    await node.stopIntake();
  });

  it('adds to the metrics of fires, and of skips by cause', async () => {
    const { clock, nodeOf, add, meter } = setUp();
    const node = nodeOf('a');
    await add();
    await passTime(clock, 3 * minuteMs);
    node.start();
    await passTime(clock, minuteMs);
    const { text } = await meter.expose();
    expect(text).toContain('muster_schedule_fires_total 2');
    expect(text).toContain('muster_schedule_skips_total{cause="misfire"} 2');
    await node.stopIntake();
  });

  it('begins a trace for each sampled job that it creates', async () => {
    const { clock, database, nodeOf, add } = setUp();
    const tracing = createRecordedSpans({ share: 0.5 });
    const node = nodeOf('a', 'local', createMemoryDueSchedules({ database }), tracing);
    const { scheduleId } = await add();
    node.start();
    await passTime(clock, 100 * minuteMs);
    const jobs = [...database.scheduled.jobs.values()];
    const sampled = jobs.filter(({ jobId }) => isSampled(traceOfJob(jobId), 0.5));
    // A part of the hundred jobs is sampled.
    expect(jobs).toHaveLength(100);
    expect(sampled.length % 100).toBeGreaterThan(0);
    expect(tracing.spans).toEqual(
      sampled.map(({ jobId, dueAtMs }) => ({
        traceId: traceOfJob(jobId),
        spanId: rootSpanOf(traceOfJob(jobId)),
        parentId: null,
        name: 'accept job',
        kind: 'producer',
        error: null,
        startMs: dueAtMs,
        endMs: dueAtMs,
        attributes: {
          'muster.job': publicId('job', jobId),
          'muster.schedule': publicId('schedule', scheduleId),
        },
      })),
    );
    await node.stopIntake();
  });

  it('begins the trace of a buffered job when the job fires', async () => {
    const { clock, database, nodeOf, add } = setUp();
    const tracing = createRecordedSpans();
    const node = nodeOf('a', 'local', createMemoryDueSchedules({ database }), tracing);
    await add('buffer-one');
    node.start();
    await passTime(clock, 2 * minuteMs);
    expect(tracing.spans).toHaveLength(1);
    database.scheduled.jobs.clear();
    await passTime(clock, 1000);
    const [jobId = ''] = [...database.scheduled.jobs.values()].map((job) => job.jobId);
    expect(tracing.spans.map(({ name, traceId }) => [name, traceId]).slice(1)).toEqual([
      ['accept job', traceOfJob(jobId)],
    ]);
    await node.stopIntake();
  });

  it.each([
    ['at its first instant after a notification', true, 1],
    ['within two seconds without a notification', false, 2000],
  ])('fires at its first instant, just after its creation, %s', async (_, isNotified, withinMs) => {
    const { clock, changes, nodeOf, add, fired } = setUp();
    const node = nodeOf('a');
    node.start();
    await passTime(clock, minuteMs - 1);
    await add();
    if (isNotified) changes.announce('schedules');
    await passTime(clock, withinMs);
    expect(fired()).toEqual([1]);
    await node.stopIntake();
  });

  it('fires a buffered occurrence within a second after the job before it has ended', async () => {
    const { clock, nodeOf, add, fired, database } = setUp();
    const node = nodeOf('a');
    await add('buffer-one');
    node.start();
    await passTime(clock, 2 * minuteMs);
    expect(fired()).toEqual([1]);
    database.scheduled.jobs.clear();
    await passTime(clock, 1000);
    expect(fired()).toEqual([1, 2]);
    await node.stopIntake();
  });

  it('has its buffered occurrences checked every five seconds, or every second if there is one, or after a notification', async () => {
    const { clock, database, changes, nodeOf, add } = setUp();
    const due = createMemoryDueSchedules({ database });
    let scans = 0;
    const counted: DueSchedules = {
      ...due,
      fireBuffered: (node, limit) => {
        scans++;
        return due.fireBuffered(node, limit);
      },
    };
    const scansWithin = async (ms: number) => {
      scans = 0;
      await passTime(clock, ms);
      return scans;
    };
    const node = nodeOf('a', 'local', counted);
    node.start();
    await scansWithin(11_000);
    expect(await scansWithin(20_000)).toBe(4);
    changes.announce('occurrences');
    expect(await scansWithin(1)).toBe(1);
    await add('buffer-one');
    await scansWithin(2 * minuteMs);
    expect(await scansWithin(20_000)).toBe(20);
    changes.lose();
    database.recurring.occurrences.clear();
    await scansWithin(1000);
    expect(await scansWithin(20_000)).toBe(20);
    await node.stopIntake();
  });

  it('gets its next fire time again within a minute if the stored time was lost', async () => {
    const { clock, nodeOf, add, fired, database } = setUp();
    const { scheduleId } = await add();
    const node = nodeOf('a');
    node.start();
    await passTime(clock, 1000);
    const row = database.recurring.schedules.get(scheduleId);
    if (row) row.nextCheckAtMs = null;
    await passTime(clock, minuteMs + 1000);
    expect(fired()).toEqual([1]);
    await node.stopIntake();
  });
});

/** Returns due schedules whose first transaction fails before or after its commit. */
function brokenOnce(due: DueSchedules, moment: 'before' | 'after'): DueSchedules {
  let isBroken = true;
  return {
    ...due,
    recur: async (node, limit) => {
      const breaks = isBroken;
      isBroken = false;
      if (breaks && moment === 'before') throw new Error('scripted failure');
      const recurred = await due.recur(node, limit);
      if (breaks) throw new Error('scripted failure');
      return recurred;
    },
  };
}
