import { endpointIdOf } from '../../../../../shared/postgres/jobs/endpoint-ids.ts';
import type { Pool } from 'pg';
import type { SchedulerShape } from '../../../../../shared/contracts/jobs/scheduler.ts';
import type { WithDates } from '../../../../../shared/postgres/connection/rows.ts';

type RowShape<List extends keyof SchedulerShape> = SchedulerShape[List] extends (infer Row)[] ? Row : never;

export type RegionStatus = WithDates<RowShape<'regions'>, 'changedAt'>;
type NodeStatus = WithDates<Omit<RowShape<'nodes'>, 'partitions'>, 'startedAt'>;
type PartitionStatus = WithDates<RowShape<'partitions'>, 'since'>;
/** Host as Postgres returns it: `clientId` is still a UUID instead of a public id. */
type HostStatus = WithDates<RowShape<'hosts'>, 'openedAt'>;

export interface StoredSchedulerStatus {
  regions: RegionStatus[];
  nodes: NodeStatus[];
  leaders: SchedulerShape['leaders'];
  partitions: PartitionStatus[];
  /** Hosts with an open circuit breaker. */
  hosts: HostStatus[];
}

/** Reads the state of scheduling for people, and changes regions and hosts. */
export function createSchedulerStatus({ pool }: { pool: Pool }) {
  async function regions(): Promise<RegionStatus[]> {
    const { rows } = await pool.query<RegionStatus>(selectRegions);
    return rows;
  }

  async function change(region: string, text: string, values: readonly unknown[]): Promise<RegionStatus[] | undefined> {
    await pool.query(text, [region, ...values]);
    const all = await regions();
    return all.some(({ name }) => name === region) ? all : undefined;
  }

  return {
    read: async (): Promise<StoredSchedulerStatus> => {
      const [all, nodes, leaders, partitions, hosts] = await Promise.all([
        regions(),
        pool.query<NodeStatus>(selectNodes),
        pool.query<RowShape<'leaders'>>(selectLeaders),
        pool.query<PartitionStatus>(selectPartitions),
        pool.query<HostStatus>(selectHosts),
      ]);
      return { regions: all, nodes: nodes.rows, leaders: leaders.rows, partitions: partitions.rows, hosts: hosts.rows };
    },
    /** Makes a region the only active one. A repeat has no effect. Returns undefined if the region does not exist. */
    switchTo: (region: string, reason: string | null) => change(region, switchRegions, [reason]),
    /** Activates a region in addition to those that are active. */
    activate: (region: string) => change(region, activateRegion, []),
    /**
     * Releases the sidelined jobs of a host. Returns false if the host is not sidelined.
     * @param endpointId id of an endpoint
     */
    enableHost: async (endpointId: string, host: string): Promise<boolean> => {
      const { rowCount } = await pool.query(enableHost, [endpointId, host]);
      return rowCount === 1;
    },
  };
}

const selectRegions = `
  select name, epoch::float8 as epoch, active, reason, changed_at as "changedAt" from regions
    order by name collate "C"`;

const selectNodes = `
  select owner, kind, region, started_at as "startedAt", figures from job_nodes where expires_at > now()
    order by kind, owner collate "C"`;

const selectLeaders = `
  select name, owner from leases where name in ('scheduler', 'job-partitions') and owner is not null
    and expires_at > now() order by name`;

const selectPartitions = `
  select p.partition_id as partition, case when p.expires_at > now() then p.owner end as owner,
    nullif(p.assigned_owner, case when p.expires_at > now() then p.owner end) as wanted,
    case when p.expires_at > now() then p.owned_since end as since,
    d.due, coalesce(extract(epoch from now() - d.oldest) * 1000, 0)::float8 as "oldestMs"
  from job_partitions p
  cross join lateral (
    select count(*)::int as due, min(due_at) as oldest
    from (select due_at from jobs j where j.partition_id = p.partition_id and j.due_at <= now() order by due_at
      limit 1000) j
  ) d
  order by p.partition_id`;

const selectHosts = `
  select coalesce(e.client, c.endpoint) as "clientId", coalesce(e.name, 'default') as endpoint, c.host, c.state,
    c.cause, c.opened_at as "openedAt", s.sidelined
  from host_circuits c left join client_endpoints e on e.id = c.endpoint
  cross join lateral (
    select count(*)::int as sidelined
    from (select 1 from jobs j where ${endpointIdOf('j')} = c.endpoint and j.sideline = c.host
      limit 10000) j
  ) s
  order by c.opened_at, c.endpoint, c.host collate "C" limit 1000`;

/**
 * Makes one region the only active one. If the region was active before, it keeps its epoch, so its current claims stay
 * valid.
 */
const switchRegions = `
  update regions set active = name = $1, epoch = epoch + 1, changed_at = now(), reason = $2
  where active <> (name = $1) and exists (select from regions where name = $1)`;

const activateRegion = `
  update regions set active = true, epoch = epoch + 1, changed_at = now(), reason = null
    where name = $1 and not active`;

const enableHost = `
  update host_circuits set state = 'closing', closing_since = now(), next_at = now()
  where endpoint = $1 and host = $2 and state <> 'closing'`;
