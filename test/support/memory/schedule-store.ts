import { v7 as uuidv7 } from 'uuid';
import type { KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { targetIdOf } from '../../../shared/contracts/schedules/planned-rows.ts';
import { recurrenceOf } from '../../../shared/contracts/schedules/recurrences.ts';
import { selectGroups } from '../../../shared/domain/recurrence/groups.ts';
import { nextTimes } from '../../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendars } from '../../../shared/domain/recurrence/work-calendars.ts';
import { scheduleMoveOf } from '../../../shared/domain/recurrence/schedule-states.ts';
import type { Page } from '../../../services/api/frame/page.port.ts';
import type {
  FireResult,
  FireRequest,
  GroupRecord,
  GroupStore,
  OccurrenceRecord,
  ScheduleRecord,
  ScheduleStore,
} from '../../../services/api/schedules/schedule-store.port.ts';
import { instantsByHand, maxFiredByHand } from '../../../services/api/schedules/postgres/fire-by-hand.ts';
import { readCursor, writeCursor } from '../../../services/api/schedules/postgres/occurrence-list.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';
import { runVerbs, describeChange } from '../../../services/api/schedules/postgres/schedule-store.ts';
import { atOnce } from './at-once.ts';
import {
  fireSchedulesInMemory,
  insertOccurrencesInMemory,
  occurrencesOfRow,
  recordSkipped,
  runOf,
  stopRemaindersInMemory,
  targetOf,
} from './fire-schedules.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { occurrenceKeyOf, type OccurrenceRow, type ScheduleRow } from './schedule-tables.ts';

const decider = { region: null, nodeRegion: 'local', owner: 'api' };

export function createMemoryScheduleStore({ database }: { database: MemoryDatabase }): ScheduleStore & GroupStore {
  const { clock, recurring } = database;
  const { schedules, groups } = recurring;

  function firePending(row: ScheduleRow): void {
    while (row.nextCheckAtMs !== null && row.nextCheckAtMs <= clock.nowMs()) {
      fireSchedulesInMemory(database, [row], decider);
    }
  }

  function fire(row: ScheduleRow, request: FireRequest, wanted: readonly string[] | null): FireResult {
    const all = selectGroups(row.definition.groups, [...groups.values()]);
    const names = all.map(({ name }) => name).filter((name) => wanted?.includes(name) ?? true);
    if (names.length === 0) return { kind: 'no-groups' };
    const atMost = Math.floor(maxFiredByHand / names.length);
    const question = { clockMs: clock.nowMs(), createdAtMs: row.createdAtMs, atMost, calendars: recurring.calendars };
    const instants = instantsByHand(request, row.definition, question);
    if (instants.length > atMost) return { kind: 'too-many', atMost };
    const { id: scheduleId } = row;
    const occurrences = instants.flatMap((atMs, index) => {
      return names.map((group) => {
        const targetId = targetIdOf(scheduleId, targetOf(database, row), group, atMs);
        const times = { scheduledForMs: atMs, dueAtMs: clock.nowMs() + index };
        return { scheduleId, group, ...times, kind: request.kind, state: 'fired' as const, targetId };
      });
    });
    const won = insertOccurrencesInMemory(database, row, occurrences, decider);
    const records = won.flatMap(({ scheduledForMs, group }) => {
      const stored = recurring.occurrences.get(occurrenceKeyOf(scheduleId, scheduledForMs, group));
      return stored ? [firedRecordOf(database, row, stored)] : [];
    });
    const alreadyFired = occurrences.length - won.length;
    return { kind: 'fired', schedule: recordOf(row), occurrences: records, alreadyFired };
  }

  return {
    get: (scheduleId) => atOnce(() => found(schedules.get(scheduleId))),

    create: ({ scheduleId = uuidv7(), name, clientId, definition, note }) =>
      atOnce(() => {
        const existing = schedules.get(scheduleId);
        if (existing) return recordOf(existing);
        const row = addMemorySchedule(database, { scheduleId, name, clientId, definition, note });
        return recordOf(row);
      }),

    list: ({ state, clientId, text = '' }, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const rows = [...schedules.values()]
          .filter((row) => (state ?? row.state) === row.state && (clientId ?? row.clientId) === row.clientId)
          .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
          .filter(({ id }) => cursor === null || id < cursor)
          .sort((a, b) => (a.id < b.id ? 1 : -1));
        return pageOf(rows.map(recordOf), limit, (record) => record.scheduleId);
      }),

    change: (scheduleId, { name, clientId, definition, note }, expected) =>
      atOnce(() => {
        const row = schedules.get(scheduleId);
        if (!row) return { kind: 'missing' };
        if (expected !== null && expected !== row.revision) return { kind: 'outdated', schedule: recordOf(row) };
        if (definition && (row.state === 'paused' || row.state === 'disabled')) {
          Object.assign(row, { silence: { untilMs: clock.nowMs(), cause: row.state }, nextCheckAtMs: clock.nowMs() });
        }
        if (definition && row.state !== 'ended') firePending(row);
        const wanted = {
          name: name ?? row.name,
          clientId: clientId ?? row.clientId,
          note: note === undefined ? row.note : note,
          definition: structuredClone(definition ?? row.definition),
        };
        const isSame = JSON.stringify({ ...row, ...wanted }) === JSON.stringify(row);
        if (isSame) return { kind: 'changed', schedule: recordOf(row) };
        const now = clock.nowMs();
        Object.assign(row, { ...wanted, revision: row.revision + 1, updatedAtMs: now });
        if (definition) {
          const { nextAtMs, nextCheckAtMs } = timesOf(definition, row.createdAtMs, now, recurring.calendars);
          const reads = row.state === 'active' ? { nextAtMs, nextCheckAtMs } : { nextAtMs: null, nextCheckAtMs: null };
          Object.assign(row, {
            highWaterMs: Math.max(row.highWaterMs, now),
            regionNextChecks: new Map(),
            ...reads,
          });
        }
        return { kind: 'changed', schedule: recordOf(row) };
      }),

    control: (scheduleId, verb, reason) =>
      atOnce(() => {
        const row = schedules.get(scheduleId);
        if (!row) return undefined;
        const before = row.state;
        const move = scheduleMoveOf(verb, before);
        if (move.kind !== 'move') return { move, schedule: recordOf(row) };
        if (before === 'active') firePending(row);
        const now = clock.nowMs();
        const isOn = move.to === 'active';
        Object.assign(row, {
          state: move.to,
          stateReason: reason,
          stateSinceMs: now,
          updatedAtMs: now,
          regionNextChecks: new Map(),
          nextAtMs: isOn ? timesOf(row.definition, row.createdAtMs, now, recurring.calendars).nextAtMs : null,
          nextCheckAtMs: isOn ? now : null,
          ...(isOn ? { silence: { untilMs: now, cause: before === 'paused' ? 'paused' : 'disabled' } } : {}),
        });
        if (verb === 'disable') dropBuffered(database, row);
        stopRemaindersInMemory(database, row, runVerbs[verb], describeChange(verb));
        return { move, schedule: recordOf(row) };
      }),

    remove: (scheduleId) =>
      atOnce(() => {
        const row = schedules.get(scheduleId);
        if (!row) return 'missing';
        if (row.campaignId !== null) return 'of-campaign';
        for (const { group, scheduledForMs } of occurrencesOfRow(database, row)) {
          recurring.occurrences.delete(occurrenceKeyOf(scheduleId, scheduledForMs, group));
        }
        for (const [key, skipped] of recurring.skipped) {
          if (skipped.scheduleId === scheduleId) recurring.skipped.delete(key);
        }
        schedules.delete(scheduleId);
        return 'removed';
      }),

    fire: (scheduleId, order, wanted) =>
      atOnce(() => {
        const row = schedules.get(scheduleId);
        if (!row) return { kind: 'missing' };
        if (row.state === 'disabled') return { kind: 'disabled', schedule: recordOf(row) };
        return fire(row, order, wanted);
      }),

    occurrences: (scheduleId, { state, group }, limit, cursor) =>
      atOnce(() => {
        const row = schedules.get(scheduleId);
        const after = cursor === null ? null : readCursor(cursor);
        const key = (each: OccurrenceRecord) =>
          [each.scheduledFor.toISOString(), each.group, each.cause ?? ''].join('\u0001');
        const found = (row ? allOccurrences(database, row) : [])
          .filter((each) => (state ?? each.state) === each.state && (group ?? each.group) === each.group)
          .filter((each) => after === null || key(each) < [after.at, after.group, after.cause].join('\u0001'))
          .sort((a, b) => (key(a) < key(b) ? 1 : -1));
        return pageOf(found, limit, writeCursor) satisfies Page<OccurrenceRecord>;
      }),

    listGroups: () => atOnce(() => [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
    getGroup: (name) => atOnce(() => groups.get(name)),
    putGroup: (group) =>
      atOnce(() => {
        const before = groups.get(group.name);
        const now = clock.now();
        const { revision = 0, createdAt = now, updatedAt = now } = before ?? {};
        const same: GroupRecord = { ...structuredClone(group), revision, createdAt, updatedAt };
        if (before && JSON.stringify(before) === JSON.stringify(same)) return before;
        const after = { ...same, revision: revision + 1, updatedAt: now };
        groups.set(group.name, after);
        return after;
      }),
    removeGroup: (name) =>
      atOnce(() => {
        groups.delete(name);
      }),
  };
}

interface AddedSchedule {
  scheduleId?: string;
  name: string;
  clientId?: string;
  campaignId?: string;
  definition: KeptSchedule;
  note?: string | null;
}

export function addMemorySchedule(
  { recurring, clock }: MemoryDatabase,
  { scheduleId: id = uuidv7(), name, clientId = '', campaignId, definition, note = null }: AddedSchedule,
): ScheduleRow {
  const now = clock.nowMs();
  const target = campaignId === undefined ? { clientId, campaignId: null } : { clientId: null, campaignId };
  const row: ScheduleRow = {
    id,
    name,
    ...target,
    revision: 1,
    definition: structuredClone(definition),
    state: 'active',
    stateReason: null,
    stateSinceMs: now,
    highWaterMs: now,
    regionNextChecks: new Map(),
    silence: null,
    note,
    createdAtMs: now,
    updatedAtMs: now,
    ...timesOf(definition, now, now, recurring.calendars),
  };
  recurring.schedules.set(id, row);
  return row;
}

function timesOf(definition: KeptSchedule, madeAtMs: number, afterMs: number, calendars: WorkCalendars) {
  const recurrence = recurrenceOf(definition.recurrence, madeAtMs, calendars);
  const { fireMs: nextAtMs, checkMs } = nextTimes(recurrence, afterMs);
  return { nextAtMs, nextCheckAtMs: checkMs ?? recurrence.untilMs ?? afterMs };
}

function dropBuffered(database: MemoryDatabase, row: ScheduleRow): void {
  for (const { group, scheduledForMs: atMs, state } of occurrencesOfRow(database, row)) {
    if (state !== 'buffered') continue;
    database.recurring.occurrences.delete(occurrenceKeyOf(row.id, atMs, group));
    recordSkipped(database, { scheduleId: row.id, group, firstMs: atMs, lastMs: atMs, count: 1, cause: 'disabled' });
  }
}

function allOccurrences(database: MemoryDatabase, row: ScheduleRow): OccurrenceRecord[] {
  const skipped = [...database.recurring.skipped.values()].filter(({ scheduleId }) => scheduleId === row.id);
  return [
    ...occurrencesOfRow(database, row).map((each) => firedRecordOf(database, row, each)),
    ...skipped.map(({ group, firstMs, lastMs, count, cause, recordedAtMs }): OccurrenceRecord => {
      const nothing = { kind: null, jobId: null, runId: null, dueAt: null, region: null };
      const range = { instants: count, lastInstant: new Date(lastMs), decidedAt: new Date(recordedAtMs) };
      return { scheduledFor: new Date(firstMs), group, state: 'skipped', cause, ...range, ...nothing };
    }),
  ];
}

function firedRecordOf(database: MemoryDatabase, row: ScheduleRow, occurrence: OccurrenceRow): OccurrenceRecord {
  const { group, state, kind, scheduledForMs, targetId, dueAtMs, region, decidedAtMs } = occurrence;
  return {
    scheduledFor: new Date(scheduledForMs),
    group,
    state,
    kind,
    cause: null,
    instants: 1,
    lastInstant: new Date(scheduledForMs),
    jobId: row.clientId === null ? null : targetId,
    runId: row.campaignId === null ? null : (runOf(database, row, dueAtMs)?.id ?? null),
    dueAt: new Date(dueAtMs),
    region,
    decidedAt: new Date(decidedAtMs),
  };
}

function found(row: ScheduleRow | undefined): ScheduleRecord | undefined {
  return row && recordOf(row);
}

function recordOf(row: ScheduleRow): ScheduleRecord {
  return {
    scheduleId: row.id,
    name: row.name,
    clientId: row.clientId,
    campaignId: row.campaignId,
    revision: row.revision,
    definition: { kept: structuredClone(row.definition), unreadable: null },
    state: row.state,
    stateReason: row.stateReason,
    note: row.note,
    stateSince: new Date(row.stateSinceMs),
    nextAt: row.nextAtMs === null ? null : new Date(row.nextAtMs),
    highWater: new Date(row.highWaterMs),
    createdAt: new Date(row.createdAtMs),
    updatedAt: new Date(row.updatedAtMs),
  };
}
