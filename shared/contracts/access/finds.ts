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
    id: z.string().describe('Public id, or the name if the resource has no id'),
    title: z.string().describe('Name of the resource, or of the resource it belongs to'),
    state: z.string().nullable(),
    campaignId: z.string().nullable().describe('Campaign of the run'),
    runId: z.string().nullable().describe('For a campaign: its active run, otherwise its newest; for a step: its run'),
  })
  .meta({ id: 'Found' });

export type FoundShape = z.infer<typeof found>;

export const findAnswer = z.object({ items: z.array(found) });
