import { z } from 'zod';
import { endpointName } from './call-terms.ts';
import { clientRef } from './jobs.ts';
import { textShape } from '../stored-texts.ts';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

export const regionShape = z
  .object({
    name: z.string(),
    epoch: z.int().describe('Moves with every switch; claims made under an older one are refused'),
    active: z.boolean().describe('false: nothing is offered or claimed there'),
    reason: z.string().nullable(),
    changedAt: time,
  })
  .meta({ id: 'Region' });

export const regionsShape = z.object({ items: z.array(regionShape), next: z.null() });

const schedulerNode = z.object({
  owner: z.string(),
  kind: z.enum(['scheduler', 'dispatcher']),
  region: z.string(),
  startedAt: time,
  partitions: count.describe('That a scheduler looks at'),
  figures: z.record(z.string(), z.number()).describe('As it said some seconds ago'),
});

const partitionShape = z.object({
  partition: count,
  owner: z.string().nullable(),
  wanted: z.string().nullable().describe('Who is to have it, where that is another node'),
  since: time.nullable(),
  due: count.describe('Jobs that are due and not called yet; counted up to 1,000'),
  oldestMs: z.number().min(0).describe('For how long the oldest of them has been due'),
});

const hostShape = z.object({
  clientId: z.string(),
  endpoint: z.string().describe('Whose jobs wait for it; `default` has those that name none'),
  host: z.string().describe('Host and port, and a path prefix that its client names; *: all hosts'),
  state: z.enum(['open', 'closing', 'disabled']),
  cause: z.string(),
  openedAt: time,
  sidelined: count.describe('Jobs that wait for it; counted up to 10,000'),
});

export const schedulerShape = z
  .object({
    regions: z.array(regionShape),
    nodes: z.array(schedulerNode).describe('Alive'),
    leaders: z.array(z.object({ name: z.string(), owner: z.string() })),
    partitions: z.array(partitionShape),
    hosts: z.array(hostShape).describe('Hosts whose jobs are put aside'),
    backlog: z.object({
      due: count.describe('Jobs that are due and not called yet; up to 1,000 of each partition are counted'),
      oldestMs: z.number().min(0),
      clientsBehind: count.describe(
        'Clients of which more is due than dispatchers take now: the most that one scheduler has',
      ),
    }),
    lagMs: z.number().min(0).describe('How late jobs are seen: the worst scheduler’s last look'),
  })
  .meta({ id: 'Scheduler' });

export type SchedulerShape = z.output<typeof schedulerShape>;

export const regionSwitch = z
  .strictObject({
    reason: textShape(500, 1).optional().describe('For whoever reads it later'),
  })
  .meta({ id: 'RegionSwitch', examples: [{ reason: 'the other region is away' }] });

export const hostSelection = z
  .strictObject({
    client: clientRef,
    endpoint: endpointName.optional(),
    host: z.string().min(1).max(500).describe('As it is listed'),
  })
  .meta({ id: 'HostSelection', examples: [{ client: 'shop', host: 'https://shop.example.com' }] });

export const enabledHost = z.object({ clientId: z.string(), host: z.string() });
