import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { readCron } from './cron.ts';
import { decisionKey, planOccurrences, type PlannedGroup, type PlanQuestion } from './plan-occurrences.ts';
import { wholeSchedule } from './policies.ts';
import { instantsFrom, type Recurrence } from './recurrence.ts';

const minuteMs = 60_000;
const startMs = Date.parse('2026-06-01T00:00Z');

function everyMinute(bounds: Partial<Pick<Recurrence, 'fromMs' | 'untilMs'>> = {}): Recurrence {
  const read = readCron('* * * * *');
  if (!read.ok) throw new Error(read.detail);
  return { kind: 'cron', cron: read.cron, zone: 'UTC', fromMs: startMs, untilMs: null, ...bounds };
}

function groupOf(name: string, changes: Partial<PlannedGroup> = {}): PlannedGroup {
  return { name, homeRegion: null, fallbackDelayMs: 0, isRunning: false, isBuffered: false, ...changes };
}

/** Plans `minutes` after the last instant that was handled. */
function planAfter(minutes: number, changes: Partial<PlanQuestion> = {}) {
  return planOccurrences({
    recurrence: everyMinute(),
    policies: { misfire: 'fire-once', catchUpMs: 60 * minuteMs, overlap: 'allow' },
    highWaterMs: startMs,
    nowMs: startMs + minutes * minuteMs,
    silence: null,
    region: 'local',
    groups: [groupOf(wholeSchedule)],
    decided: new Set(),
    maxInstants: 50_000,
    maxOccurrences: 1000,
    ...changes,
  });
}

const minutesOf = (instants: readonly { atMs: number }[]) => instants.map(({ atMs }) => (atMs - startMs) / minuteMs);
const rangesOf = (ranges: readonly { firstMs: number; lastMs: number; count: number; cause: string }[]) =>
  ranges.map(({ firstMs, lastMs, count, cause }) => [
    (firstMs - startMs) / minuteMs,
    (lastMs - startMs) / minuteMs,
    count,
    cause,
  ]);

describe('a due instant', () => {
  it('fires at its time, and the schedule is read again at the next instant', () => {
    const plan = planAfter(1);
    expect(minutesOf(plan.fires)).toEqual([1]);
    expect(plan).toMatchObject({ skipped: [], highWaterMs: startMs + minuteMs, nextAtMs: startMs + 2 * minuteMs });
    expect(plan.nextCheckAtMs).toBe(plan.nextAtMs);
  });

  it('does not fire before its time, even if the clock went back', () => {
    expect(planAfter(0.9).fires).toEqual([]);
    expect(planAfter(-10)).toMatchObject({ fires: [], highWaterMs: startMs });
  });
});

describe('missed instants', () => {
  it('fire once under fire-once, and the others are listed as skipped', () => {
    const plan = planAfter(3.5);
    expect(minutesOf(plan.fires)).toEqual([3]);
    expect(rangesOf(plan.skipped)).toEqual([[1, 2, 2, 'misfire']]);
  });

  it('all fire under fire-all within the catch-up window', () => {
    const policies = { misfire: 'fire-all', catchUpMs: 2 * minuteMs, overlap: 'allow' } as const;
    const plan = planAfter(4.5, { policies });
    expect(minutesOf(plan.fires)).toEqual([3, 4]);
    expect(rangesOf(plan.skipped)).toEqual([[1, 2, 2, 'too-late']]);
  });

  it('do not fire under skip, except the latest one within a change of leader', () => {
    const policies = { misfire: 'skip', catchUpMs: 60 * minuteMs, overlap: 'allow' } as const;
    const plan = planAfter(3.5, { policies });
    expect(minutesOf(plan.fires)).toEqual([3]);
    expect(rangesOf(plan.skipped)).toEqual([[1, 2, 2, 'misfire']]);
  });

  it('are listed in ranges over several reads of the schedule if they span years', () => {
    const years = 60 * 24 * 120;
    let plan = planAfter(years);
    let listed = plan.skipped.reduce((sum, { count }) => sum + count, 0);
    let reads = 1;
    for (; plan.fires.length === 0; reads++) {
      expect(plan).toMatchObject({ nextCheckAtMs: startMs + years * minuteMs });
      expect(plan.skipped.length).toBeLessThanOrEqual(2);
      plan = planAfter(years, { highWaterMs: plan.highWaterMs });
      listed += plan.skipped.reduce((sum, { count }) => sum + count, 0);
    }
    expect(listed).toBe(years - 1);
    expect(reads).toBe(Math.ceil(years / 50_000));
    expect(minutesOf(plan.fires)).toEqual([years]);
  });

  it('fire over several reads of the schedule if they are too many for one', () => {
    const policies = { misfire: 'fire-all', catchUpMs: 60 * minuteMs, overlap: 'allow' } as const;
    const first = planAfter(5, { policies, maxOccurrences: 2 });
    expect(minutesOf(first.fires)).toEqual([1, 2]);
    expect(first.nextCheckAtMs).toBe(startMs + 5 * minuteMs);
    const second = planAfter(5, { policies, maxOccurrences: 2, highWaterMs: first.highWaterMs });
    expect(minutesOf(second.fires)).toEqual([3, 4]);
  });
});

describe('a schedule after a pause', () => {
  it('skips the instants of the pause with the cause', () => {
    const plan = planAfter(3, { silence: { untilMs: startMs + 2.5 * minuteMs, cause: 'paused' } });
    expect(minutesOf(plan.fires)).toEqual([3]);
    expect(rangesOf(plan.skipped)).toEqual([[1, 2, 2, 'paused']]);
  });
});

describe('an instant while the previous fire is still running', () => {
  const running = [groupOf('SG', { isRunning: true }), groupOf('ID')];

  it('is skipped only for the running group under overlap skip', () => {
    const plan = planAfter(1, { groups: running, policies: { misfire: 'fire-once', catchUpMs: 0, overlap: 'skip' } });
    expect(plan.fires).toEqual([{ group: 'ID', atMs: startMs + minuteMs }]);
    expect(plan.skippedOfGroup).toEqual([{ group: 'SG', atMs: startMs + minuteMs, cause: 'overlap' }]);
  });

  it('is buffered once under overlap buffer-one', () => {
    const policies = { misfire: 'fire-all', catchUpMs: 60 * minuteMs, overlap: 'buffer-one' } as const;
    const plan = planAfter(2, { groups: running, policies });
    expect(plan.buffered).toEqual([
      { group: 'SG', atMs: startMs + minuteMs },
      { group: 'ID', atMs: startMs + 2 * minuteMs },
    ]);
    expect(plan.skippedOfGroup).toEqual([{ group: 'SG', atMs: startMs + 2 * minuteMs, cause: 'overlap' }]);
  });

  it('fires under overlap allow', () => {
    expect(planAfter(1, { groups: running }).fires).toHaveLength(2);
  });
});

describe('the groups of a planned instant', () => {
  const far = groupOf('BR', { homeRegion: 'america', fallbackDelayMs: 30_000 });

  it('are left to their own region for the fallback delay, and the instant stays open', () => {
    const plan = planAfter(1, { groups: [groupOf('SG', { homeRegion: 'local' }), far] });
    expect(plan.fires).toEqual([{ group: 'SG', atMs: startMs + minuteMs }]);
    expect(plan).toMatchObject({ highWaterMs: startMs + minuteMs - 1, nextCheckAtMs: startMs + minuteMs + 30_000 });
  });

  it('fire in another region after their fallback delay', () => {
    const decided = new Set([decisionKey(startMs + minuteMs, 'SG')]);
    const plan = planAfter(1.5, { groups: [groupOf('SG', { homeRegion: 'local' }), far], decided });
    expect(plan.fires).toEqual([{ group: 'BR', atMs: startMs + minuteMs }]);
    expect(plan.highWaterMs).toBe(startMs + minuteMs);
  });

  it('may be missing: then the instant is skipped and listed', () => {
    expect(rangesOf(planAfter(1, { groups: [] }).skipped)).toEqual([[1, 1, 1, 'no-groups']]);
  });
});

describe('a schedule with an end', () => {
  it('is over when its end has passed and all instants are decided', () => {
    const recurrence = everyMinute({ untilMs: startMs + 1.5 * minuteMs });
    const before = planAfter(1, { recurrence });
    expect(before).toMatchObject({ nextAtMs: null, nextCheckAtMs: startMs + 1.5 * minuteMs, isOver: false });
    expect(planAfter(1.5, { recurrence, highWaterMs: before.highWaterMs }).isOver).toBe(true);
  });
});

describe('several regions that plan independently', () => {
  const groups = [
    groupOf('SG', { homeRegion: 'asia', fallbackDelayMs: 40_000 }),
    groupOf('BR', { homeRegion: 'america', fallbackDelayMs: 90_000 }),
    groupOf('XX'),
  ];
  const read = fc.record({ region: fc.constantFrom('asia', 'america'), afterMs: fc.integer({ min: 0, max: 300_000 }) });
  const policies = fc.record({
    misfire: fc.constantFrom('fire-once' as const, 'fire-all' as const, 'skip' as const),
    catchUpMs: fc.constantFrom(0, 120_000, 3_600_000),
    overlap: fc.constant('allow' as const),
  });

  it('decide each instant exactly once per group, and for another region only after its delay', () => {
    fc.assert(
      fc.property(fc.array(read, { maxLength: 40 }), policies, (reads, chosen) => {
        const decided = new Set<string>();
        let highWaterMs = startMs;
        let nowMs = startMs;
        const decide = (atMs: number, group: string) => {
          const key = decisionKey(atMs, group);
          expect(decided.has(key)).toBe(false);
          decided.add(key);
        };
        for (const { region, afterMs } of reads) {
          nowMs += afterMs;
          const plan = planAfter(0, {
            nowMs,
            highWaterMs,
            region,
            groups,
            decided,
            policies: chosen,
            maxOccurrences: 6,
          });
          for (const { group, atMs } of plan.fires) {
            const { homeRegion, fallbackDelayMs } = groups.find(({ name }) => name === group) ?? groupOf('none');
            const isHome = homeRegion === null || homeRegion === region;
            expect(nowMs - atMs).toBeGreaterThanOrEqual(isHome ? 0 : fallbackDelayMs);
            decide(atMs, group);
          }
          for (const { group, atMs } of plan.skippedOfGroup) decide(atMs, group);
          for (const { firstMs, lastMs } of plan.skipped) {
            for (let atMs = firstMs; atMs <= lastMs; atMs += minuteMs)
              for (const { name } of groups) decide(atMs, name);
          }
          expect(plan.highWaterMs).toBeGreaterThanOrEqual(highWaterMs);
          highWaterMs = plan.highWaterMs;
        }
        for (const { atMs } of instantsFrom(everyMinute(), startMs + 1)) {
          if (atMs > highWaterMs) break;
          for (const { name } of groups) expect(decided.has(decisionKey(atMs, name))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
