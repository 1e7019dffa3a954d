import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { ResultScope } from '../result-store.port.ts';

interface OfUsers extends ResultScope {
  users: readonly string[];
}

/** Selects results. A call whose lease has expired without a result is `unknown`, because its process was lost. */
export const selectResults = statementOf<OfUsers>(
  'connectors-results',
  ($) => `
  select user_id as "userId", code,
    case when state = 'begun' and lease_until < clock_timestamp() then 'unknown' else state end as state
  from connectors.results
  where run = ${$('run')} and step = ${$('step')} and action = ${$('action')} and user_id = any(${$('users')}::text[])`,
);

/** Claims users. Rows are locked in the order of ids, so that two claims for the same users do not deadlock. */
export const claimUsers = statementOf<
  OfUsers & { claim: string; leaseMs: number; keepSeconds: number; isRepeatable: boolean }
>(
  'connectors-claim-users',
  ($) => `
  insert into connectors.results as r (action, run, step, user_id, state, claim, lease_until, expires_at)
  select ${$('action')}, ${$('run')}, ${$('step')}, u, 'begun', ${$('claim')},
    clock_timestamp() + ${$('leaseMs')}::float8 * interval '1 millisecond',
    clock_timestamp() + ${$('keepSeconds')}::float8 * interval '1 second'
  from unnest(${$('users')}::text[]) u order by u collate "C"
  on conflict (run, step, action, user_id) do update
  set state = 'begun', claim = excluded.claim, is_open = true, lease_until = excluded.lease_until,
    expires_at = excluded.expires_at
  where ${$('isRepeatable')}::boolean
    and (r.state = 'unknown' or r.state = 'begun' and r.lease_until < clock_timestamp())
  returning user_id as "userId", is_open as "isOpen"`,
);

interface OfClaim extends OfUsers {
  claim: string;
}

export const finishUsers = statementOf<OfClaim & { states: readonly string[]; codes: readonly (string | null)[] }>(
  'connectors-finish-users',
  ($) => `
  update connectors.results r set state = o.state, code = o.code
  from unnest(${$('users')}::text[], ${$('states')}::text[], ${$('codes')}::text[]) o (user_id, state, code)
  where r.run = ${$('run')} and r.step = ${$('step')} and r.action = ${$('action')} and r.user_id = o.user_id
    and r.claim = ${$('claim')} and r.state in ('begun', 'unknown')`,
);

export const reopenUsers = statementOf<OfClaim>(
  'connectors-reopen-users',
  ($) => `
  update connectors.results set state = 'unknown'
  where run = ${$('run')} and step = ${$('step')} and action = ${$('action')} and user_id = any(${$('users')}::text[])
    and claim = ${$('claim')} and state = 'begun' and is_open`,
);

export const releaseUsers = statementOf<OfClaim>(
  'connectors-release-users',
  ($) => `
  delete from connectors.results
  where run = ${$('run')} and step = ${$('step')} and action = ${$('action')} and user_id = any(${$('users')}::text[])
    and claim = ${$('claim')} and state = 'begun' and not is_open`,
);

/** Deletes expired results in chunks, so that no transaction is long. */
export const deleteEnded = statementOf<{ limit: number }>(
  'connectors-delete-ended-results',
  ($) => `
  delete from connectors.results where ctid = any(array(
    select ctid from connectors.results where expires_at < clock_timestamp() order by expires_at limit ${$('limit')}))`,
);
