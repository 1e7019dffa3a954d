import { z } from 'zod';
import { endpointName } from './call-terms.ts';
import { clientRef } from './jobs.ts';
import { textShape } from '../stored-texts.ts';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);

export const regionShape = z
  .object({
    name: z.string(),
    epoch: z.int().describe('Increases with every switch; claims made under an older value are refused'),
    active: z.boolean().describe('false: no jobs are offered or claimed there'),
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
  partitions: count.describe('Partitions that a scheduler reads'),
  figures: z.record(z.string(), z.number()).describe('As reported some seconds ago'),
});

const partitionShape = z.object({
  partition: count,
  owner: z.string().nullable(),
  wanted: z.string().nullable().describe('Node that is to take over, if it is another one'),
  since: time.nullable(),
  due: count.describe('Due jobs that are not called yet; counted up to 1,000'),
  oldestMs: z.number().min(0).describe('Milliseconds since the oldest of them was due'),
});

const hostShape = z.object({
  clientId: z.string(),
  endpoint: z.string().describe('Endpoint whose jobs wait for the host; `default` for jobs without an endpoint'),
  host: z.string().describe('Host and port, with a path prefix if the client has one; *: all hosts'),
  state: z.enum(['open', 'closing', 'disabled']),
  cause: z.string(),
  openedAt: time,
  sidelined: count.describe('Jobs that wait for the host; counted up to 10,000'),
});

export const schedulerShape = z
  .object({
    regions: z.array(regionShape),
    nodes: z.array(schedulerNode).describe('Alive'),
    leaders: z.array(z.object({ name: z.string(), owner: z.string() })),
    partitions: z.array(partitionShape),
    hosts: z.array(hostShape).describe('Hosts whose jobs are sidelined'),
    backlog: z.object({
      due: count.describe('Due jobs that are not called yet; counted up to 1,000 per partition'),
      oldestMs: z.number().min(0),
      clientsBehind: count.describe(
        'Clients with more due jobs than dispatchers take now: the largest number of one scheduler',
      ),
    }),
    lagMs: z.number().min(0).describe('Delay with which due jobs are found: the worst scheduler’s last read'),
  })
  .meta({ id: 'Scheduler' });

export type SchedulerShape = z.output<typeof schedulerShape>;

export const regionSwitch = z
  .strictObject({
    reason: textShape(500, 1).optional().describe('Reason, for the audit log'),
  })
  .meta({ id: 'RegionSwitch', examples: [{ reason: 'the other region is away' }] });

export const hostSelection = z
  .strictObject({
    client: clientRef,
    endpoint: endpointName.optional(),
    host: z.string().min(1).max(500).describe('Host as listed'),
  })
  .meta({ id: 'HostSelection', examples: [{ client: 'shop', host: 'https://shop.example.com' }] });

export const enabledHost = z.object({ clientId: z.string(), host: z.string() });
