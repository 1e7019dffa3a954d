import { z } from 'zod';
import { loadLine, takesSeconds } from '../campaigns/load-lines.ts';

export const runForecast = z
  .object({
    batchUsers: z.int().min(0).nullable().describe('Maximum users per call: the smallest limit of its actions'),
    load: z.array(loadLine).describe('Load by step and country, for the users counted there'),
    takesSeconds,
    restsOn: z.string().describe('Basis of the forecast and what is unknown, in words'),
  })
  .meta({ id: 'RunForecast' });

export type RunForecast = z.infer<typeof runForecast>;
