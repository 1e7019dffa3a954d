import { z } from 'zod';
import { loadLine, takesSeconds } from '../campaigns/load-lines.ts';

export const runForecast = z
  .object({
    batchUsers: z.int().min(0).nullable().describe('Users of a call, at most: as many as all of its actions take'),
    load: z.array(loadLine).describe('By step and country, of the users that were counted there'),
    takesSeconds,
    restsOn: z.string().describe('What that rests on, and what of it is not known, in words'),
  })
  .meta({ id: 'RunForecast' });

export type RunForecast = z.infer<typeof runForecast>;
