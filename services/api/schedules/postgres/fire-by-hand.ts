import type { PoolClient } from 'pg';
import type { KeptSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import {
  targetIdOf,
  type NewOccurrence,
  type OccurrenceKind,
} from '../../../../shared/contracts/schedules/planned-rows.ts';
import { recurrenceOf } from '../../../../shared/contracts/schedules/recurrences.ts';
import { selectGroups } from '../../../../shared/domain/recurrence/groups.ts';
import { instantsFrom } from '../../../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendars } from '../../../../shared/domain/recurrence/work-calendars.ts';
import { readGroups, type Decider, type FireQuotas } from '../../../../shared/postgres/schedules/fire-schedules.ts';
import { insertOccurrences } from '../../../../shared/postgres/schedules/insert-occurrences.ts';
import { roomForFires, withinRoom } from '../../../../shared/postgres/schedules/room-for-fires.ts';
import { campaignsOf, roomForRuns } from '../../../../shared/postgres/schedules/room-for-runs.ts';
import {
  msOf,
  plannedColumns,
  plannedRowOf,
  type PlannedColumns,
} from '../../../../shared/postgres/schedules/schedule-rows.ts';
import { readWorkCalendars } from '../../../../shared/postgres/schedules/work-calendars.ts';
import type { FireResult, FireRequest, ScheduleRecord } from '../schedule-store.port.ts';
import { readOccurrences } from './occurrence-list.ts';

/** Maximum number of occurrences in one request, which inserts them in one transaction. */
export const maxFiredByHand = 1000;

export interface HandFire {
  schedule: ScheduleRecord;
  request: FireRequest;
  groups: readonly string[] | null;
  decider: Decider;
  quotas: FireQuotas;
}

/**
 * Creates the runs or jobs of occurrences that a person requests. The transaction of the caller must have locked the
 * row of the schedule.
 */
export async function fireByHand(
  client: PoolClient,
  { schedule, request, groups, decider, quotas }: HandFire,
): Promise<FireResult> {
  const { scheduleId } = schedule;
  const { rows } = await client.query<PlannedColumns & { clockMs: number }>(selectRow, [scheduleId]);
  const [found] = rows;
  if (!found) return { kind: 'missing' };
  const row = plannedRowOf(found);
  const { definition } = row.schedule;

  const all = selectGroups(definition.groups, definition.groups ? await readGroups(client) : []);
  const names = all.map(({ name }) => name).filter((name) => groups?.includes(name) ?? true);
  if (names.length === 0) return { kind: 'no-groups' };
  const atMost = Math.floor(maxFiredByHand / names.length);
  const calendars = await readWorkCalendars(client, [definition.recurrence]);
  const instants = instantsByHand(request, definition, { ...found, atMost, calendars });
  if (instants.length > atMost) return { kind: 'too-many', atMost };

  const kind: OccurrenceKind = request.kind;
  const wanted = instants.flatMap((atMs, index) => {
    // A run is identified by its time, so each run gets a different millisecond.
    const dueAtMs = found.clockMs + index;
    return names.map((group): NewOccurrence => {
      const targetId = targetIdOf(scheduleId, row.target, group, atMs);
      return { scheduleId, group, scheduledForMs: atMs, kind, state: 'fired', targetId, dueAtMs };
    });
  });
  const rooms = await roomForFires(client, [row]);
  const runs = await roomForRuns(client, campaignsOf([row]), quotas.openRuns);
  const [room] = rooms.values();
  if (withinRoom({ rooms, runs }, [row], wanted).beyond.length > 0) {
    return room ? { kind: 'no-room', room, jobs: wanted.length } : { kind: 'no-run-room', limit: quotas.openRuns };
  }
  const inserted = await insertOccurrences(client, [row], wanted, decider);
  const occurrences = await readOccurrences(client, scheduleId, inserted);
  return { kind: 'fired', schedule, occurrences, alreadyFired: wanted.length - inserted.length };
}

interface InstantsQuestion {
  clockMs: number;
  createdAtMs: number;
  atMost: number;
  calendars: WorkCalendars;
}

/** Returns the requested instants. If there are more than `atMost`, returns one more than `atMost`. */
export function instantsByHand(
  request: FireRequest,
  { recurrence }: KeptSchedule,
  { clockMs, createdAtMs, atMost, calendars }: InstantsQuestion,
): number[] {
  if (request.kind === 'manual') return [request.atMs ?? clockMs];
  const whole = recurrenceOf(recurrence, createdAtMs, calendars);
  // A range may include instants before the schedule was created.
  const unbounded =
    whole.kind === 'cron' && recurrence.from === undefined ? { ...whole, fromMs: request.fromMs } : whole;
  const instants: number[] = [];
  const untilMs = Math.min(unbounded.untilMs ?? Infinity, request.untilMs, clockMs);
  for (const instant of instantsFrom({ ...unbounded, untilMs }, request.fromMs)) {
    if (instants.length > atMost) break;
    if (instant.kind === 'fire') instants.push(instant.atMs);
  }
  return instants;
}

/**
 * Reads the time with `clock_timestamp()`, so that two transactions that waited for the same row have different times.
 */
const selectRow = `select ${plannedColumns}, ${msOf('clock_timestamp()')} as "clockMs" from schedules s
  where s.id = $1`;
