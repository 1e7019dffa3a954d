import { jobIdOf } from '../../domain/job/job-ids.ts';
import type { OccurrencePlan, PlannedOccurrence } from '../../domain/recurrence/plan-occurrences.ts';
import { spreadDelayMs } from '../../domain/recurrence/spread.ts';

export type ScheduleTarget =
  { kind: 'callback'; clientId: string } | { kind: 'campaign'; campaignId: string; revision: number };

export type OccurrenceKind = 'planned' | 'manual' | 'backfill';

/** An occurrence to insert; a concurrent process may insert it first. */
export interface NewOccurrence {
  scheduleId: string;
  group: string;
  scheduledForMs: number;
  kind: OccurrenceKind;
  state: 'fired' | 'buffered';
  targetId: string;
  dueAtMs: number;
}

interface Spread {
  scheduleId: string;
  target: ScheduleTarget;
  spreadMs: number;
}

export function occurrencesOf(plan: OccurrencePlan, spread: Spread): NewOccurrence[] {
  const rowOf = (state: 'fired' | 'buffered') => (planned: PlannedOccurrence) => occurrenceOf(planned, spread, state);
  return [...plan.fires.map(rowOf('fired')), ...plan.buffered.map(rowOf('buffered'))];
}

function occurrenceOf(
  { group, atMs }: PlannedOccurrence,
  spread: Spread,
  state: NewOccurrence['state'],
): NewOccurrence {
  const { scheduleId, target, spreadMs } = spread;
  const targetId = targetIdOf(scheduleId, target, group, atMs);
  const dueAtMs = atMs + spreadDelayMs(scheduleId, group, spreadMs);
  return { scheduleId, group, scheduledForMs: atMs, kind: 'planned', state, targetId, dueAtMs };
}

/** Returns the idempotency key of an occurrence's job, which is the same in every process. */
export function occurrenceKey(scheduleId: string, group: string, atMs: number): string {
  return `schedule/${scheduleId}/${new Date(atMs).toISOString()}${group === '' ? '' : `/${group}`}`;
}

export function targetIdOf(scheduleId: string, target: ScheduleTarget, group: string, atMs: number): string {
  const owner = target.kind === 'callback' ? target.clientId : target.campaignId;
  return jobIdOf(owner, occurrenceKey(scheduleId, group, atMs));
}
