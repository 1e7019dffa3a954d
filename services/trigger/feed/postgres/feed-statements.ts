import type { AudienceColumns } from '../../../../shared/postgres/ledger/feed-audience.ts';
import { failureCode, triggerSlot } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { hasVariants, isRemainingFeed, variantWeight } from '../../../../shared/postgres/ledger/variants-sql.ts';
import { wholeWeight } from '../../../../shared/contracts/campaigns/variants.ts';
import { failureTotalsAdded } from '../../../../shared/postgres/ledger/totals-sql.ts';

/** Statements of feeds. Costs and reasons: docs/decisions/0167-what-a-batch-costs-in-postgres.md. */

interface Claiming {
  owner: string;
  leaseMs: number;
  limit: number;
  /** If false, claims only feeds that have never stalled. */
  withStalled: boolean;
  withoutDry: boolean;
  /** 1 to claim feeds of the oldest runs first, -1 for the newest. */
  direction: 1 | -1;
}

/** Claims feeds. With `skip locked`, concurrent triggers take different feeds and do not wait for each other. */
export const claim = statementOf<Claiming>(
  'claim-feeds',
  ($) => `
  with free as (
    select f.feed, r.deadline_at, r.canary, r.parent is not null or r.kind = 'test' as stored, c.definition,
      c.definition || r.settings as settled
    from runs r
    join feeds f on f.run = r.id
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    where r.state = 'running' and r.ended_at is null and r.deadline_at > now()
      and not f.complete and (f.owner is null or f.lease_until <= now())
        and (f.stalled_until is null or f.stalled_until <= now())
      and not (f.dry and ${$('withoutDry')})
      and (r.canary is null or r.canary = 'over' or f.canary_users is null
        or f.fed_users - f.held_out_users < f.canary_users)
      -- Without a variant, the users would get the parameters of none, so the feed waits for the choice of a person.
      and (f.variant is not null or f.dry or not ${hasVariants('c')})
      and (f.stalls = 0 or ${$('withStalled')})
    order by f.dry, f.stalls > 0, extract(epoch from r.scheduled_for) * ${$('direction')}::int, f.feed
    limit ${$('limit')}
    for update of f skip locked
  )
  update feeds f set owner = ${$('owner')}, token = f.token + 1,
    lease_until = now() + ${$('leaseMs')}::float8 * interval '1 millisecond'
  from free
  where f.feed = free.feed
  returning f.feed as "feedId", f.run as "runId", f.country, f.segment, f.snapshot, f.estimate::float8 as estimate,
    f.audience, f.fed_users::float8 as "fedUsers", f.excluded_users::float8 as "excludedUsers",
    f.held_out_users::float8 as "heldOutUsers", f.max_users::float8 as "usersAtMost",
    case when free.canary <> 'over' then f.canary_users::float8 end as "canaryUsers", f.stalls, f.cursor,
    f.next_batch_no as "nextBatchNo", f.batch_users as "batchUsers", f.token, f.from_step as "fromStep",
    free.stored as "hasStoredUsers", f.dry as "isDry",
    free.settled ->> 'priority' as priority,
    free.definition -> 'chain' -> (f.from_step - 1) ->> 'action' as "firstAction",
    (extract(epoch from free.deadline_at - now()) * 1000)::float8 as "deadlineInMs"`,
);

export const renew = `
  update feeds f set lease_until = now() + $2::float8 * interval '1 millisecond'
  from unnest($3::uuid[], $4::bigint[]) k (feed, token), runs r
  where f.feed = k.feed and f.token = k.token and f.owner = $1
    and r.id = f.run and r.state = 'running' and r.deadline_at > now()
  returning f.feed as "feedId"`;

export const release = `
  update feeds f set owner = null, lease_until = null
  from unnest($2::uuid[], $3::bigint[]) k (feed, token)
  where f.feed = k.feed and f.token = k.token and f.owner = $1`;

export interface WrittenPages {
  feedId: string;
  token: number;
  /** Number that the feed's next batch must have; null if there are no batches to write. */
  firstNo: number | null;
  /** This array and the following ones have one entry per batch. Texts are separated by line breaks. */
  batchNos: string;
  sizes: string;
  firstUsers: string;
  lastUsers: string;
  users: string;
  cursor: string | null;
  /**
   * Number of batches in this write. The following numbers of users are also totals of this write; `fedUsers` includes
   * held-out users.
   */
  batches: number;
  fedUsers: number;
  heldOut: number;
  excluded: number;
  complete: boolean;
  staysStalled: boolean;
}

type Placed = (param: keyof WrittenPages) => string;

/**
 * SQL that moves the cursor of a feed. Returns no row if the token or the next batch number is not the expected one.
 * @param sunk further columns to set for the feed of a dry run; empty for all others
 */
export const movedFeed = ($: Placed, sunk = '') => `
    update feeds set cursor = ${$('cursor')}, next_batch_no = next_batch_no + ${$('batches')}::int,
      fed_users = fed_users + ${$('fedUsers')}::bigint, complete = ${$('complete')},
      held_out_users = held_out_users + ${$('heldOut')}::bigint,
      excluded_users = excluded_users + ${$('excluded')}::bigint,
      stalled = case when ${$('staysStalled')} then stalled end,
      stalled_until = case when ${$('staysStalled')} then stalled_until end,
      stalls = case when ${$('staysStalled')} then stalls else 0 end${sunk}
    where ${sunk === '' ? '' : 'dry and '}feed = ${$('feedId')} and token = ${$('token')}
      and next_batch_no = coalesce(${$('firstNo')}::int, next_batch_no)
    returning feed, run, from_step`;

export const insertedBatches = ($: Placed) => `
    insert into batches (feed, from_step, batch_no, n, first_user, last_user, users)
    select fd.feed, fd.from_step, k.* from fd,
      unnest(${$('batchNos')}::int[], ${$('sizes')}::int2[], string_to_array(${$('firstUsers')}, e'\\n'),
        string_to_array(${$('lastUsers')}, e'\\n'), string_to_array(${$('users')}, e'\\n')) k`;

/**
 * Writes batches and the cursor. The statement checks the next batch number. If the answer to a write was lost, a
 * repeated write therefore changes nothing.
 */
export const writePages = statementOf<WrittenPages>(
  'write-pages',
  ($) => `
  with fd as (${movedFeed($)}
  ), b as (${insertedBatches($)}
  )
  select from fd`,
);

/**
 * Inserts rows of held-out users after the highest part number of the feed. The new number is unique, because the same
 * transaction holds the lock on the feed's row.
 */
export const insertHeldOut = statementOf<{ feedId: string; counts: string; users: string }>(
  'insert-held-out',
  ($) => `
  insert into held_out_users (feed, part, n, users)
  select ${$('feedId')}::uuid, b.part + k.place, k.n, k.users
  from (select coalesce(max(part), 0) as part from held_out_users where feed = ${$('feedId')}) b,
    unnest(${$('counts')}::int2[], string_to_array(${$('users')}, e'\\n')) with ordinality k (n, users, place)`,
);

/**
 * Records invalid users of the audience as failed in step 1. An id that occurs twice is the same user, and counts once.
 */
export const failInvalidUsers = `
  with f as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
    select $1, 0, 1, k.user_id, ${failureCode.failed}, $4, k.rule, 0
      from unnest($2::text[], $3::text[]) k (user_id, rule)
    on conflict do nothing
    returning feed, batch_no, step, user_id, outcome, reason
  ), n as (
    select count(*) as users from f
  ), ft as (
    ${failureTotalsAdded('f', String(triggerSlot))}
  ), t as (
    insert into run_totals as t (feed, step, slot, failed) select $1, 1, ${triggerSlot}, n.users from n
    on conflict (feed, step, slot) do update set failed = t.failed + excluded.failed
  )
  update feeds set fed_users = fed_users + n.users from n where feed = $1`;

export const stall = `
  update feeds set stalled = $3, stalled_until = now() + $4::float8 * interval '1 millisecond',
    stalls = least(stalls + 1, 1000)
  where feed = $1 and token = $2`;

export const show = `update feeds set stalled = $3 where feed = $1 and token = $2 and stalled is distinct from $3`;

/**
 * Stores a new snapshot of a segment, and an event about it. If the audience has several sources, the event lists all
 * current snapshots.
 */
export const renewAudience = statementOf<AudienceColumns & { feedId: string; token: number }>(
  'renew-audience',
  ($) => `
  with f as (
    update feeds set segment = ${$('segment')}, snapshot = ${$('snapshot')}, estimate = ${$('estimate')},
      audience = ${$('audience')}
    where feed = ${$('feedId')} and token = ${$('token')} returning run, country
  )
  insert into run_events (run, kind, detail)
  select run, 'snapshot-renewed', jsonb_strip_nulls(jsonb_build_object('country', country,
    'segment', ${$('segment')}::text, 'snapshot', ${$('snapshot')}::text,
    'sources', ${$('audience')}::jsonb -> 'include'))
  from f`,
);

/** SQL for the maximum allowance of a run: the users of one second of its pace, but at least one batch. */
const mostAllowed = (pace: string, batchUsers: string) => `greatest(${batchUsers}, ${pace})`;

/**
 * SQL for the present allowance of a run.
 * @param p alias of the row in `run_paces`
 */
const allowedNow = (p: string, pace: string, batchUsers: string) =>
  `least(${mostAllowed(pace, batchUsers)}, ${p}.allowed + ${pace} * greatest(0, extract(epoch from now() - ${p}.at)))`;

const paceOf = (definition: string, settings: string) =>
  `((${definition} || ${settings}) ->> 'paceUsersPerSecond')::float8`;

/**
 * Takes whole batches from the allowances of runs: $1 runs, $2 numbers of batches. A run without a row in `run_paces`
 * gets one batch. Concurrent triggers wait for each other's row locks.
 */
export const takePace = `
  with k as (
    select k.run, k.batches::float8 * b.batch_users as users, b.batch_users,
      ${paceOf('c.definition', 'r.settings')} as pace
    from unnest($1::uuid[], $2::int[]) k (run, batches)
    join runs r on r.id = k.run
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    -- All feeds of a run have the same size of batches.
    cross join lateral (select f.batch_users from feeds f where f.run = r.id limit 1) b
  )
  insert into run_paces as p (run, allowed, taken, at)
  select run, 0, least(users, batch_users), now() from k where pace is not null order by run
  on conflict (run) do update set (allowed, taken, at) = (
    select a.allowed - t.taken, t.taken, greatest(p.at, now())
    from k
    cross join lateral (select ${allowedNow('p', 'k.pace', 'k.batch_users')} as allowed) a
    cross join lateral (select least(k.users, floor(a.allowed / k.batch_users) * k.batch_users) as taken) t
    where k.run = p.run
  )
  returning run as "runId", round(taken / (select k.batch_users from k where k.run = p.run))::int as batches`;

export const retriedUsers = `
  select user_id from explicit_users where feed = $1 and ($2::text is null or user_id > $2) order by user_id limit $3`;

/**
 * Reads the loads of feeds. A step without recorded batches is missing in the result. Feeds of dry runs use no shard,
 * so their chains are empty in the result.
 */
export const loads = statementOf<{ feeds: string }>(
  'feed-loads',
  ($) => `
  select f.feed as "feedId", f.run as "runId", f.country,
    array(select s ->> 'action' from jsonb_array_elements(c.definition -> 'chain') s where not f.dry) as chain,
    array(select s -> 'check' ->> 'type' from jsonb_array_elements(c.definition -> 'chain') s where not f.dry)
      as checks,
    (c.definition || r.settings) ->> 'priority' as priority,
    case when f.variant is null or ${isRemainingFeed('f', 'r', 'c')} then 1
      else ${variantWeight('f', 'c')}::float8 / ${wholeWeight} end as share,
    -- During the canary, the remaining feed needs no capacity.
    f.complete or r.canary = 'serving' and ${isRemainingFeed('f', 'r', 'c')} as complete,
    case when k.pace is null then null when p.run is null then f.batch_users
      else ${allowedNow('p', 'k.pace', 'f.batch_users')} end as "paceAllows",
    f.batch_users as "batchUsers",
    exists (select from holds h where h.feed = f.feed and h.kind = 'fault') as held,
    array(select h.step from holds h where h.feed = f.feed and h.kind = 'quiet-hours' and h.until > now())
      as "quietSteps",
    f.next_batch_no - 1 as "fedBatches", f.from_step as "fromStep", coalesce(t.lines, '[]') as lines
  from unnest(${$('feeds')}::uuid[]) a (feed)
  join feeds f on f.feed = a.feed
  join runs r on r.id = f.run and r.state = 'running' and r.ended_at is null
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  cross join lateral (select ${paceOf('c.definition', 'r.settings')} as pace) k
  left join run_paces p on p.run = r.id
  left join lateral (
    select json_agg(l) as lines from (
      select step, sum(done)::int as done, sum(survived)::int as survived, sum(created)::int as created,
        sum(waiting)::int as waiting
      from run_totals where feed = f.feed group by step
    ) l
  ) t on true`,
);

/**
 * Lists feeds. The statement uses the index of runs that have not ended, so its cost depends only on the runs that
 * began or were resumed since the last listing.
 */
export const listFeeds = statementOf<{ since: string | null; reachMs: number }>(
  'list-feeds',
  ($) => `
  select now()::text as until, coalesce(array_agg(f.feed order by r.state_since), '{}') as "feedIds"
  from runs r join feeds f on f.run = r.id
  where r.state = 'running' and r.ended_at is null
    and r.state_since >= coalesce(
      ${$('since')}::timestamptz - ${$('reachMs')}::float8 * interval '1 millisecond', '-infinity')`,
);
