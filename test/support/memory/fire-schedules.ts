import { planSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import {
  occurrencesOf,
  type NewOccurrence,
  type ScheduleTarget,
} from '../../../shared/contracts/schedules/planned-rows.ts';
import { controlEvents, moveOf, type ControlVerb } from '../../../shared/domain/run/run-control.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import type { Decider, FiredSchedules, SkippedRow } from '../../../shared/postgres/schedules/fire-schedules.ts';
import { occurrenceJob } from '../../../shared/postgres/schedules/occurrence-job.ts';
import { createMemoryJobIntake } from './job-intake.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { RunRow } from './run-tables.ts';
import { addRunEvent } from './run-events.ts';
import { occurrenceKeyOf, type OccurrenceRow, type ScheduleRow } from './schedule-tables.ts';

/** Corresponds to `shared/postgres/schedules/`, over maps. */
export function fireSchedulesInMemory(
  database: MemoryDatabase,
  rows: readonly ScheduleRow[],
  decider: Decider,
): FiredSchedules {
  const fired: FiredSchedules = { occurrences: [], skipped: [], ended: [], broken: [] };
  for (const row of rows) {
    const plan = planOf(database, row, decider);
    const spread = {
      scheduleId: row.id,
      target: targetOf(database, row),
      spreadMs: row.definition.recurrence.spreadSeconds * 1000,
    };
    fired.occurrences.push(...insertOccurrencesInMemory(database, row, occurrencesOf(plan, spread), decider));
    const skipped: SkippedRow[] = [
      ...plan.skipped.map((range) => ({ scheduleId: row.id, group: '', ...range })),
      ...plan.skippedOfGroup.map(({ group, atMs, cause }) => {
        return { scheduleId: row.id, group, firstMs: atMs, lastMs: atMs, count: 1, cause };
      }),
    ];
    for (const each of skipped) recordSkipped(database, each);
    fired.skipped.push(...skipped);

    const { waitsForOthers: waits } = plan;
    Object.assign(row, { highWaterMs: plan.highWaterMs, nextAtMs: plan.nextAtMs });
    if (!waits) Object.assign(row, { nextCheckAtMs: plan.nextCheckAtMs, regionNextChecks: new Map() });
    else if (decider.region !== null) row.regionNextChecks.set(decider.region, plan.nextCheckAtMs);
    if (row.silence && row.silence.untilMs <= plan.highWaterMs) row.silence = null;
    if (!plan.isOver || row.state !== 'active') continue;
    Object.assign(row, { state: 'ended', stateReason: null, stateSinceMs: database.clock.nowMs() });
    stopRemaindersInMemory(database, row, 'cancel', 'the schedule that started it has ended');
    fired.ended.push(row.id);
  }
  return fired;
}

function planOf(database: MemoryDatabase, row: ScheduleRow, { region }: Decider) {
  const own = occurrencesOfRow(database, row);
  for (const each of own) if (each.open && each.state === 'fired' && !isAtWork(database, row, each)) each.open = false;
  const decided = [
    ...own.map(({ group, scheduledForMs: atMs }) => ({ group, atMs })),
    ...[...database.recurring.skipped.values()]
      .filter(({ scheduleId, cause }) => scheduleId === row.id && cause !== 'clock-change')
      .map(({ group, firstMs: atMs }) => ({ group, atMs })),
  ];
  return planSchedule(row, {
    nowMs: database.clock.nowMs(),
    region,
    registered: [...database.recurring.groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    calendars: database.recurring.calendars,
    open: own.filter(({ open }) => open).map(({ group, state }) => ({ group, isBuffered: state === 'buffered' })),
    decided: decided.filter(({ atMs }) => atMs > row.highWaterMs),
  });
}

export function occurrencesOfRow({ recurring }: MemoryDatabase, { id }: ScheduleRow): OccurrenceRow[] {
  return [...recurring.occurrences.values()].filter(({ scheduleId }) => scheduleId === id);
}

export function isAtWork(database: MemoryDatabase, row: ScheduleRow, { targetId, dueAtMs }: OccurrenceRow): boolean {
  if (row.clientId !== null) return database.scheduled.jobs.has(targetId);
  const run = runOf(database, row, dueAtMs);
  return database.jobs.has(targetId) || run?.endedAt === null;
}

export function runOf({ runs }: MemoryDatabase, { campaignId }: ScheduleRow, dueAtMs: number): RunRow | undefined {
  return [...runs.values()].find((run) => {
    return run.campaignId === campaignId && run.parentId === null && run.scheduledFor.getTime() === dueAtMs;
  });
}

export function targetOf({ campaigns }: MemoryDatabase, { clientId, campaignId }: ScheduleRow): ScheduleTarget {
  if (clientId !== null) return { kind: 'callback', clientId };
  const revision = campaigns.get(campaignId ?? '')?.revision ?? 1;
  return { kind: 'campaign', campaignId: campaignId ?? '', revision };
}

export function insertOccurrencesInMemory(
  database: MemoryDatabase,
  row: ScheduleRow,
  wanted: readonly NewOccurrence[],
  { nodeRegion: region, owner }: Pick<Decider, 'nodeRegion' | 'owner'>,
): NewOccurrence[] {
  const { occurrences } = database.recurring;
  const keyOf = ({ scheduledForMs, group }: NewOccurrence) => occurrenceKeyOf(row.id, scheduledForMs, group);
  const won = wanted.filter((each) => !occurrences.has(keyOf(each)));
  const decidedAtMs = database.clock.nowMs();
  for (const each of won) occurrences.set(keyOf(each), { ...each, open: true, region, owner, decidedAtMs });
  for (const each of won) if (each.state === 'fired') beginTarget(database, row, each);
  return won;
}

export function beginTarget(database: MemoryDatabase, row: ScheduleRow, occurrence: NewOccurrence): void {
  const target = targetOf(database, row);
  const { targetId: id, dueAtMs } = occurrence;
  if (target.kind === 'callback') {
    const clients = [...database.scheduled.clients.values()];
    const relevancies = new Map(
      clients.flatMap(({ clientId, definition: { relevancySeconds } }) => {
        return relevancySeconds === undefined ? [] : [[clientId, relevancySeconds * 1000] as const];
      }),
    );
    // The store in memory has stored the job when the call returns.
    void createMemoryJobIntake({ database }).store(
      [occurrenceJob(occurrence, { target, schedule: row }, relevancies)],
      0,
    );
  } else if (!database.jobs.has(id)) {
    database.jobs.set(id, { id, campaignId: target.campaignId, revision: target.revision, dueAtMs, settings: {} });
  }
}

export function recordSkipped({ recurring, clock }: MemoryDatabase, skipped: SkippedRow): void {
  const key = `${occurrenceKeyOf(skipped.scheduleId, skipped.firstMs, skipped.group)}/${skipped.cause}`;
  if (!recurring.skipped.has(key)) recurring.skipped.set(key, { ...skipped, recordedAtMs: clock.nowMs() });
}

const pausedWithSchedule = 'its schedule was paused';

export function stopRemaindersInMemory(
  database: MemoryDatabase,
  row: ScheduleRow,
  verb: ControlVerb,
  reason: string,
): void {
  if (row.campaignId === null) return;
  for (const { open, targetId, dueAtMs } of occurrencesOfRow(database, row)) {
    if (!open) continue;
    if (verb === 'cancel') database.jobs.delete(targetId);
    const run = runOf(database, row, dueAtMs);
    if (run?.endedAt !== null || (verb === 'resume' && run.stateReason !== pausedWithSchedule)) continue;
    const move = moveOf(verb, run.state, run.startedAt !== null);
    if (move.kind !== 'move') continue;
    const now = database.clock.now();
    const stateReason = verb === 'pause' ? pausedWithSchedule : verb === 'resume' ? null : reason;
    Object.assign(run, { state: move.to, stateSince: now, stateReason });
    if (isTerminal(move.to)) Object.assign(run, { endedAt: now, waitingCause: null, waitingSince: null });
    addRunEvent(database, run.id, controlEvents[verb], { reason });
    if (move.to === 'paused') addRunEvent(database, run.id, 'paused', {});
    if (move.to === 'cancelled') addRunEvent(database, run.id, 'ended', { state: move.to, reason });
  }
}
