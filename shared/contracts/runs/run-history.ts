import { z } from 'zod';
import { runEventKinds } from '../../domain/run/run-events.ts';

const time = z.iso.datetime({ precision: 3 });

export const runEvent = z
  .object({ id: z.string(), at: time, kind: z.enum(runEventKinds), detail: z.record(z.string(), z.unknown()) })
  .meta({ id: 'RunEvent' });

export type RunEventShape = z.infer<typeof runEvent>;

export const runRates = z
  .object({
    notedSince: time
      .nullable()
      .describe('Time before which only the mean rate since the start is known; null: all rates are known'),
    points: z.array(z.object({ at: time, usersPerSecond: z.number().min(0) })).describe('In chronological order'),
  })
  .meta({
    id: 'RunRates',
    description:
      'Speed of a run from start to end: users per second that ended a step as succeeded, failed, suppressed or unknown. A point every ' +
      'five seconds at first, later at longer intervals, some hundreds at most; flat over times without records',
  });

export type RunRates = z.infer<typeof runRates>;
