import { z } from 'zod';
import { runEventKinds } from '../../domain/run/run-events.ts';

const time = z.iso.datetime({ precision: 3 });

export const runEvent = z
  .object({ id: z.string(), at: time, kind: z.enum(runEventKinds), detail: z.record(z.string(), z.unknown()) })
  .meta({ id: 'RunEvent' });

export type RunEventShape = z.infer<typeof runEvent>;

export const runRates = z
  .object({
    notedSince: time.nullable().describe('Before it, only the mean since the start is known; null where all is'),
    points: z.array(z.object({ at: time, usersPerSecond: z.number().min(0) })).describe('In the order of their time'),
  })
  .meta({
    id: 'RunRates',
    description:
      'How fast a run has gone, from its start to its end: users that ended a step by succeeding, failing, being suppressed or unknown. A point every ' +
      'five seconds at first, farther apart the longer it goes on, some hundreds at most; flat where nobody noted anything',
  });

export type RunRates = z.infer<typeof runRates>;
