import type { Pool } from 'pg';
import { plainArray, textArray } from '../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import { renewedBelow, type OwnedPartition, type PartitionLeases } from '../ports/partition-leases.ts';

/** @param deps.leader name of the lease that the leader, which assigns partitions, holds */
export function createPartitionLeases({ pool, leader }: { pool: Pool; leader: string }): PartitionLeases {
  return {
    beat: async ({ owner, kind, region, ttlMs, figures }, released) => {
      const { rows } = await pool.query<OwnedPartition>(
        beatNode.with({
          owner,
          kind,
          region,
          ttlMs,
          leader,
          figures: JSON.stringify(figures),
          released: plainArray(released),
        }),
      );
      return rows;
    },
    leave: async (owner) => {
      await pool.query(leaveNode.with({ owner }));
    },
    assignment: async () => {
      const { rows: nodes } = await pool.query<{ owner: string }>(selectSchedulers);
      const { rows: partitions } = await pool.query<{ wanted: string | null; owner: string | null }>(selectPartitions);
      return { schedulers: nodes.map(({ owner }) => owner), partitions };
    },
    assign: async ({ name, owner, token }, wanted) => {
      if (wanted.size === 0) return;
      await pool.query(
        assignWanted.with({
          name,
          owner,
          token,
          partitions: plainArray([...wanted.keys()]),
          nodes: textArray([...wanted.values()]),
        }),
      );
    },
  };
}

interface BeatParams {
  owner: string;
  kind: string;
  region: string;
  ttlMs: number;
  leader: string;
  figures: string;
  released: string;
}

/**
 * Condition that a lease need not be renewed yet. Without this condition, an idle scheduler would write 64 rows per
 * second.
 */
const isFresh = ($: (param: 'ttlMs') => string) =>
  `expires_at > now() + ${renewedBelow} * ${$('ttlMs')}::int4 * interval '1 millisecond'`;

const beatNode = statementOf<BeatParams>(
  'beat-scheduler',
  ($) => `
  with n as (
    insert into job_nodes (owner, kind, region, expires_at, figures)
    values (${$('owner')}, ${$('kind')}, ${$('region')}, now() + ${$('ttlMs')}::int4 * interval '1 millisecond',
      ${$('figures')}::jsonb)
    on conflict (owner) do update set expires_at = excluded.expires_at, figures = excluded.figures
  ), r as (
    update job_partitions set owner = null, expires_at = now()
    where owner = ${$('owner')} and partition_id = any(${$('released')}::int2[])
  ), k as (
    select partition_id from job_partitions p
    where partition_id <> all(${$('released')}::int2[]) and (
      (owner = ${$('owner')} and expires_at > now() and not ${isFresh($)})
      or ((owner is null or expires_at <= now()) and assigned_owner = ${$('owner')})
      or ((owner is null or expires_at <= now())
        and coalesce(expires_at, '-infinity') <= now() - 2 * ${$('ttlMs')}::int4 * interval '1 millisecond'
        and exists (select from regions where name = ${$('region')} and active)
        and not exists (select from leases where name = ${$('leader')} and owner is not null and expires_at > now())
        and not exists (select from job_nodes w where w.owner = p.assigned_owner and w.expires_at > now()))
    )
    order by partition_id for update skip locked
  ), u as (
    update job_partitions p set
      owner = ${$('owner')},
      token = case when p.owner = ${$('owner')} and p.expires_at > now() then p.token else p.token + 1 end,
      owned_since = case when p.owner = ${$('owner')} and p.expires_at > now() then p.owned_since else now() end,
      expires_at = now() + ${$('ttlMs')}::int4 * interval '1 millisecond'
    from k where p.partition_id = k.partition_id
    returning p.partition_id, p.token, p.assigned_owner
  )
  select partition_id as partition, token::float8 as token, coalesce(assigned_owner = ${$('owner')}, true) as "isWanted"
  from (
    select * from u
    union all
    select partition_id, token, assigned_owner from job_partitions
    where owner = ${$('owner')} and ${isFresh($)} and partition_id <> all(${$('released')}::int2[])
  ) o`,
);

const leaveNode = statementOf<{ owner: string }>(
  'leave-scheduler',
  ($) => `
  with n as (
    delete from job_nodes where owner = ${$('owner')}
  ), others as (
    select n.owner, row_number() over (order by n.owner collate "C") - 1 as place, count(*) over () as nodes
    from job_nodes n join regions r on r.name = n.region and r.active
    where n.kind = 'scheduler' and n.expires_at > now() and n.owner <> ${$('owner')}
  )
  update job_partitions p set owner = null, expires_at = now(),
    assigned_owner = coalesce((select o.owner from others o where o.place = p.partition_id % o.nodes), p.assigned_owner)
  where p.owner = ${$('owner')}`,
);

const selectSchedulers = `
  select n.owner from job_nodes n join regions r on r.name = n.region and r.active
  where n.kind = 'scheduler' and n.expires_at > now() order by n.owner`;

const selectPartitions = `
  select assigned_owner as wanted, case when expires_at > now() then owner end as owner from job_partitions
  order by partition_id`;

const assignWanted = statementOf<{ name: string; owner: string; token: number; partitions: string; nodes: string }>(
  'assign-partitions',
  ($) => `
  update job_partitions p set assigned_owner = k.node
  from unnest(${$('partitions')}::int2[], ${$('nodes')}::text[]) k (partition_id, node)
  where p.partition_id = k.partition_id and exists (
    select from leases where name = ${$('name')} and owner = ${$('owner')} and token = ${$('token')}::int8
      and expires_at > now())`,
);
