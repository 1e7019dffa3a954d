import { fc } from '../support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { KeptSchedule } from '../../shared/contracts/schedules/kept-schedules.ts';
import { recurrenceOf } from '../../shared/contracts/schedules/recurrences.ts';
import { instantsFrom } from '../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendar } from '../../shared/domain/recurrence/work-calendars.ts';
import { createMemoryDueSchedules } from '../support/memory/due-schedules.ts';
import { createMemoryDatabase, type MemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryScheduleStore } from '../support/memory/schedule-store.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const minuteMs = 60_000;
const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';
const regions = ['asia', 'america'] as const;

const policies = fc.record({
  misfire: fc.constantFrom('fire-once' as const, 'fire-all' as const, 'skip' as const),
  overlap: fc.constantFrom('allow' as const, 'skip' as const, 'buffer-one' as const),
  catchUpSeconds: fc.constantFrom(0, 300, 3600),
});
const rhythm = fc.constantFrom(
  { cron: '* * * * *', zone: 'UTC' },
  { cron: '*/5 * * * *', zone: 'Asia/Singapore' },
  { cron: '7,9 * * * *', zone: 'America/New_York' },
  { everySeconds: 90, zone: 'UTC' },
  // Its first day is off where it is still morning, or becomes the day after.
  { cron: '*/7 * * * *', zone: 'America/New_York', workCalendar: 'days', onDayOff: 'skip' as const },
  { cron: '*/11 * * * *', zone: 'Asia/Singapore', workCalendar: 'days', onDayOff: 'after' as const },
  { cron: '*/13 * * * *', zone: 'UTC', workCalendar: 'days', onDayOff: 'before' as const },
);
/** The clock begins with the first of January 2026, a Thursday. */
const calendar: WorkCalendar = { weekDaysOff: new Set([3]), datesOff: new Map([[Date.UTC(2026, 0, 2), '']]) };
const definition = fc.tuple(rhythm, policies, fc.boolean()).map(([times, chosen, isForGroups]): KeptSchedule => {
  const call = {
    url: 'https://example.com',
    method: 'POST' as const,
    headers: null,
    body: null,
    relevancySeconds: null,
    tags: [],
  };
  return {
    recurrence: { ...times, ...chosen, spreadSeconds: 0 },
    ...(isForGroups ? { groups: { tags: ['all'] } } : {}),
    call,
  };
});

/** Actions of people, nodes and the world. */
const act = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      region: fc.constantFrom(...regions),
      crashes: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 10 * minuteMs }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constant(4 * 60 * minuteMs) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end-jobs' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), definition }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('control' as const),
      verb: fc.constantFrom('pause' as const, 'resume' as const, 'disable' as const, 'enable' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fire' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose-look' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('group' as const),
      name: fc.constantFrom('SG', 'BR', 'XX'),
      stays: fc.boolean(),
    }),
  },
);

type Act = typeof act extends fc.Arbitrary<infer Each> ? Each : never;

/** Definition of a schedule, and the time from which it is valid. */
interface Era {
  fromMs: number;
  definition: KeptSchedule;
}

describe('schedules that are edited, paused, read, interrupted by crashes and idle', () => {
  it('decide every instant exactly once as fired, buffered or skipped with a cause', async () => {
    await fc.assert(
      fc.asyncProperty(definition, fc.array(act, { minLength: 5, maxLength: 60 }), async (first, acts) => {
        const world = await makeWorld(first);
        for (const each of acts) await world.carryOut(each);
        await world.settle();
        world.check();
      }),
      { numRuns: 300 },
    );
  });
});

async function makeWorld(first: KeptSchedule) {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const store = createMemoryScheduleStore({ database });
  const due = createMemoryDueSchedules({ database });
  const homes = { SG: 'asia', BR: 'america', XX: null } as const;
  const putGroup = (name: keyof typeof homes) =>
    store.putGroup({ name, homeRegion: homes[name], fallbackSeconds: 30, tags: ['all'], countries: [] });
  await putGroup('SG');
  await putGroup('BR');
  database.recurring.calendars.set('days', calendar);
  const { scheduleId } = await store.create({ name: 'each', clientId, definition: first, note: null });
  const eras: Era[] = [{ fromMs: clock.nowMs(), definition: first }];
  /** Jobs that were ever stored. No job may be stored twice. */
  const everStored = new Set<string>();
  let stored = 0;

  async function read(region: string, crashes: boolean): Promise<void> {
    if (crashes) {
      // The transaction is undone as a whole: nothing of it may be seen.
      const before = structuredClone(stateOf(database));
      await due.recur({ region, owner: region }, 100);
      restore(database, before);
    }
    await due.recur({ region, owner: region }, 100);
    await due.fireBuffered({ region, owner: region }, 100);
    count();
  }

  function count(): void {
    for (const jobId of database.scheduled.jobs.keys()) everStored.add(jobId);
    stored = [...database.scheduled.totals.values()].reduce((sum, { accepted }) => sum + accepted, 0);
  }

  async function carryOut(each: Act): Promise<void> {
    switch (each.kind) {
      case 'look':
        await read(each.region, each.crashes);
        return;
      case 'pass':
        clock.advance(each.ms);
        return;
      case 'end-jobs':
        for (const jobId of database.scheduled.jobs.keys()) everStored.add(jobId);
        database.scheduled.jobs.clear();
        return;
      case 'edit': {
        const changed = await store.change(scheduleId, { definition: each.definition }, null);
        count();
        if (changed.kind === 'changed') eras.push({ fromMs: clock.nowMs(), definition: each.definition });
        return;
      }
      case 'control':
        await store.control(scheduleId, each.verb, null);
        count();
        return;
      case 'fire':
        await store.fire(scheduleId, { kind: 'manual', atMs: null }, null);
        count();
        return;
      case 'lose-look': {
        const row = database.recurring.schedules.get(scheduleId);
        if (row) row.nextCheckAtMs = null;
        await due.rearm(10, null);
        return;
      }
      case 'group':
        if (each.stays) await putGroup(each.name);
        else await store.removeGroup(each.name);
    }
  }

  /** Lets all nodes look until nothing is left to decide. */
  async function settle(): Promise<void> {
    await store.control(scheduleId, 'resume', null);
    await store.control(scheduleId, 'enable', null);
    for (let i = 0; i < 12; i++) for (const region of regions) await read(region, false);
    clock.advance(31_000);
    for (let i = 0; i < 3; i++) for (const region of regions) await read(region, false);
  }

  function check(): void {
    const instants = instantsOf(eras, clock.nowMs());
    const decided = decisionsOf(database, scheduleId, instants);
    for (const [atMs, names] of decided) {
      expect(new Set(names).size, `decided twice at ${new Date(atMs).toISOString()}: ${names.join()}`).toBe(
        names.length,
      );
    }
    // Another region may still decide about the last half minute.
    for (const atMs of instants.filter((each) => each <= clock.nowMs() - 31_000)) {
      expect(decided.has(atMs), `${new Date(atMs).toISOString()} was forgotten`).toBe(true);
    }
    expect(stored).toBe(everStored.size);
  }

  return { carryOut, settle, check };
}

/** Returns the decided groups by instant. An occurrence that the whole schedule skipped counts for all groups. */
function decisionsOf(
  { recurring }: MemoryDatabase,
  scheduleId: string,
  instants: readonly number[],
): Map<number, string[]> {
  const decided = new Map<number, string[]>();
  const add = (atMs: number, name: string) => decided.set(atMs, [...(decided.get(atMs) ?? []), name]);
  const occurrences = [...recurring.occurrences.values()].filter((each) => each.scheduleId === scheduleId);
  for (const each of occurrences) if (each.kind !== 'manual') add(each.scheduledForMs, each.group);
  for (const { group, firstMs, lastMs, cause } of recurring.skipped.values()) {
    if (cause === 'clock-change') continue;
    for (const atMs of instants) if (atMs >= firstMs && atMs <= lastMs) add(atMs, group);
  }
  // A manual occurrence at exactly this instant counts for it, unless the instant had been skipped before.
  for (const { kind, scheduledForMs, group } of occurrences) {
    const names = decided.get(scheduledForMs) ?? [];
    if (kind === 'manual' && !names.includes(group) && !names.includes('')) add(scheduledForMs, group);
  }
  return decided;
}

/** Returns the instants that should have been decided: those of each definition while it was valid. */
function instantsOf(eras: readonly Era[], untilMs: number): number[] {
  const [first] = eras;
  return eras.flatMap(({ fromMs, definition: { recurrence } }, index) => {
    const endMs = Math.min(eras[index + 1]?.fromMs ?? Infinity, untilMs);
    const found: number[] = [];
    const calendars = new Map([['days', calendar]]);
    for (const { atMs, kind } of instantsFrom(recurrenceOf(recurrence, first?.fromMs ?? 0, calendars), fromMs + 1)) {
      if (atMs > endMs) break;
      if (kind !== 'skipped') found.push(atMs);
    }
    return found;
  });
}

function stateOf({ recurring, scheduled }: MemoryDatabase) {
  return { recurring, scheduled };
}

/** Puts the tables back as they were. */
function restore(database: MemoryDatabase, before: ReturnType<typeof stateOf>): void {
  const tables = [
    [database.recurring.schedules, before.recurring.schedules],
    [database.recurring.occurrences, before.recurring.occurrences],
    [database.recurring.skipped, before.recurring.skipped],
    [database.scheduled.jobs, before.scheduled.jobs],
    [database.scheduled.totals, before.scheduled.totals],
  ] as const;
  for (const [now, earlier] of tables) put(now, earlier);
}

function put(now: Map<string, unknown>, earlier: ReadonlyMap<string, unknown>): void {
  now.clear();
  for (const [key, value] of earlier) now.set(key, value);
}
