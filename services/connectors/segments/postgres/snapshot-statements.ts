import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

/**
 * Lock of a segment, held by the transaction that selects or creates its snapshot. Without it, two requests could get
 * different snapshots.
 */
export const lockSegment = statementOf<{ segment: string }>(
  'connectors-lock-segment',
  ($) => `select pg_advisory_xact_lock(hashtextextended('connectors.segment/' || ${$('segment')}::text, 0))`,
);

/**
 * Selects the current snapshot of a segment. The age of an open snapshot does not matter, because it has no members
 * yet.
 */
export const selectCurrent = statementOf<{ segment: string; definition: string; reuseMs: number }>(
  'connectors-current-snapshot',
  ($) => `
  select id from connectors.snapshots
  where segment = ${$('segment')} and definition = ${$('definition')}
    and (state = 'open' or state in ('building', 'ready')
      and queried_at > clock_timestamp() - ${$('reuseMs')}::float8 * interval '1 millisecond')
  order by created_at desc limit 1`,
);

export const insertSnapshot = statementOf<{ segment: string; definition: string; keepSeconds: number }>(
  'connectors-insert-snapshot',
  ($) => `
  insert into connectors.snapshots (segment, definition, keep_seconds)
  values (${$('segment')}, ${$('definition')}, ${$('keepSeconds')}) returning id`,
);

export const touchSnapshot = statementOf<{ id: string }>(
  'connectors-touch-snapshot',
  ($) => `update connectors.snapshots set used_at = clock_timestamp() where id = ${$('id')}`,
);

export const selectSnapshot = statementOf<{ id: string; segment: string }>(
  'connectors-select-snapshot',
  ($) => `
  select id, segment, state, epoch, cause, is_refused as "isRefused",
    used_at < clock_timestamp() - interval '1 minute' as "isTouchDue",
    greatest(0, extract(epoch from retry_at - clock_timestamp()) * 1000)::float8 as "retryInMs"
  from connectors.snapshots where id = ${$('id')} and segment = ${$('segment')}`,
);

export const claimSnapshot = statementOf<{ id: string; leaseMs: number }>(
  'connectors-claim-snapshot',
  ($) => `
  update connectors.snapshots
  set state = 'building', epoch = epoch + 1, queried_at = clock_timestamp(), used_at = clock_timestamp(),
    lease_until = clock_timestamp() + ${$('leaseMs')}::float8 * interval '1 millisecond'
  where id = ${$('id')} and (state = 'open' or state = 'building' and lease_until < clock_timestamp()
    or state = 'failed' and retry_at < clock_timestamp())
  returning epoch`,
);

export const renewClaim = statementOf<{ id: string; epoch: number; leaseMs: number }>(
  'connectors-renew-claim',
  ($) => `
  update connectors.snapshots
  set lease_until = clock_timestamp() + ${$('leaseMs')}::float8 * interval '1 millisecond'
  where id = ${$('id')} and epoch = ${$('epoch')} and state = 'building'`,
);

export const finishSnapshot = statementOf<{ id: string; epoch: number; counts: string }>(
  'connectors-finish-snapshot',
  ($) => `
  update connectors.snapshots set state = 'ready', counts = ${$('counts')}::jsonb, used_at = clock_timestamp()
  where id = ${$('id')} and epoch = ${$('epoch')} and state = 'building'`,
);

export const failSnapshot = statementOf<{
  id: string;
  epoch: number;
  cause: string;
  isRefused: boolean;
  retryInMs: number;
}>(
  'connectors-fail-snapshot',
  ($) => `
  update connectors.snapshots
  set state = 'failed', cause = ${$('cause')}, is_refused = ${$('isRefused')},
    retry_at = clock_timestamp() + ${$('retryInMs')}::float8 * interval '1 millisecond'
  where id = ${$('id')} and epoch = ${$('epoch')} and state = 'building'`,
);

export const selectCounts = statementOf<{ segments: readonly string[]; definitions: readonly string[] }>(
  'connectors-counts',
  ($) => `
  select s.segment, last.counts
  from unnest(${$('segments')}::text[], ${$('definitions')}::text[]) s (segment, definition), lateral (
    select counts from connectors.snapshots
    where segment = s.segment and definition = s.definition and state = 'ready' order by created_at desc limit 1
  ) last`,
);

export const deleteUnused = statementOf<Record<string, never>>(
  'connectors-delete-unused',
  () => `
  delete from connectors.snapshots
  where used_at < clock_timestamp() - keep_seconds * interval '1 second'
    and (state <> 'building' or lease_until < clock_timestamp())`,
);

/**
 * Finds tables of members without a snapshot. A builder commits its epoch before it creates a table, so the table of a
 * running builder always has a row in `snapshots`.
 */
export const selectStrayTables = statementOf<Record<string, never>>(
  'connectors-stray-tables',
  () => `
  select c.relname as name from pg_class c
  where c.relnamespace = 'connectors'::regnamespace and c.relkind = 'r' and c.relname ~ '^members_[0-9a-f]{32}_[0-9]+$'
    and not exists (
      select from connectors.snapshots s where s.state in ('building', 'ready')
        and c.relname = 'members_' || replace(s.id::text, '-', '') || '_' || s.epoch)`,
);
