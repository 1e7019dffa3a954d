import { z } from 'zod';

export const foundKinds = [
  'campaign',
  'run',
  'audience',
  'action-type',
  'shard',
  'client',
  'schedule',
  'job',
  'quarantined-message',
  'quarantined-step',
] as const;

export const found = z
  .object({
    kind: z.enum(foundKinds),
    id: z.string().describe('The public id; the name of what has only that'),
    title: z.string().describe('Its name, or what it belongs to'),
    state: z.string().nullable(),
    campaignId: z.string().nullable().describe('Whose run it is'),
    runId: z.string().nullable().describe('Of a campaign the run that goes on, else the newest; of a step its run'),
  })
  .meta({ id: 'Found' });

export type FoundShape = z.infer<typeof found>;

export const findAnswer = z.object({ items: z.array(found) });
