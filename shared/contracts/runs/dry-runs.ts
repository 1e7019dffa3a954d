import { z } from 'zod';
import { runSummary } from './runs.ts';
import { warning } from '../warnings.ts';

export const dryRun = z
  .object({
    run: runSummary,
    warnings: z.array(warning),
    links: z.object({ self: z.string(), report: z.string() }),
  })
  .meta({ id: 'DryRun', description: 'A run of its own of the whole audience, in which nobody is called' });
