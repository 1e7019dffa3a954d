import { z } from 'zod';
import { selectGroups, type RegisteredGroup } from '../../domain/recurrence/groups.ts';
import {
  decisionKey,
  planOccurrences,
  type OccurrencePlan,
  type PlannedOccurrence,
} from '../../domain/recurrence/plan-occurrences.ts';
import type { SkipCause } from '../../domain/recurrence/policies.ts';
import { policiesOf, recurrenceOf, recurrenceShape } from './recurrences.ts';

/** What a callback of a schedule sends: its fields are checked when it comes in. */
const keptCall = z.object({
  url: z.string(),
  method: z.string(),
  /** JSON. */
  headers: z.string().nullable(),
  body: z.string().nullable(),
  relevancySeconds: z.number().nullable(),
  tags: z.array(z.string()),
});

export const groupSelection = z.union([
  z.strictObject({ names: z.array(z.string()) }),
  z.strictObject({ tags: z.array(z.string()) }),
]);

/** A schedule's definition as it is stored, and read back by the process that plans it. */
export const keptSchedule = z.object({
  recurrence: recurrenceShape,
  groups: groupSelection.optional(),
  /** Of a callback; a campaign says itself what it does. */
  call: keptCall.optional(),
});

export type KeptSchedule = z.output<typeof keptSchedule>;
export type KeptCall = z.output<typeof keptCall>;

/** What of a schedule decides when it fires. */
export interface PlannableSchedule {
  definition: KeptSchedule;
  createdAtMs: number;
  highWaterMs: number;
  silence: { untilMs: number; cause: SkipCause } | null;
}

/** What goes on around it. */
export interface PlanningView {
  nowMs: number;
  /** Null: for all regions. */
  region: string | null;
  registered: readonly RegisteredGroup[];
  /** Of the schedule, what is still at work or waits for that. */
  open: readonly { group: string; isBuffered: boolean }[];
  /** Above its high-water mark. */
  decided: readonly PlannedOccurrence[];
}

/** Looked at in one transaction, at most: some ten milliseconds of work. */
const maxInstants = 20_000;
/** Occurrences of one schedule in one transaction, at most: a hundred schedules may share it. */
const maxOccurrences = 200;

export function planSchedule(schedule: PlannableSchedule, view: PlanningView): OccurrencePlan {
  const { definition, createdAtMs, highWaterMs, silence } = schedule;
  const { nowMs, region, registered, open, decided } = view;
  const buffered = new Set(open.filter(({ isBuffered }) => isBuffered).map(({ group }) => group));
  const running = new Set(open.filter(({ isBuffered }) => !isBuffered).map(({ group }) => group));
  return planOccurrences({
    recurrence: recurrenceOf(definition.recurrence, createdAtMs),
    policies: policiesOf(definition.recurrence),
    ...{ highWaterMs, nowMs, silence, region, maxInstants, maxOccurrences },
    groups: selectGroups(definition.groups, registered).map((group) => ({
      ...group,
      isRunning: running.has(group.name),
      isBuffered: buffered.has(group.name),
    })),
    decided: new Set(decided.map(({ atMs, group }) => decisionKey(atMs, group))),
  });
}
