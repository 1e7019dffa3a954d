import type { Pool } from 'pg';

type Queries = Pick<Pool, 'query'>;

const runsPerStatement = 500;

export interface EndedRuns {
  campaignId: string;
  /** Number of the youngest run, counted back from now; `to` is the number of the oldest. */
  from: number;
  to: number;
  countries: readonly string[];
  steps: number;
  /** Rows of totals for each country and step. */
  slots: number;
}

/** Adds a run for every 15 minutes. Ids ascend with the time, like the engine's ids. */
export async function addEndedRuns(
  pool: Queries,
  { campaignId, from, to, countries, steps, slots }: EndedRuns,
): Promise<void> {
  for (let first = from; first <= to; first += runsPerStatement) {
    const last = Math.min(to, first + runsPerStatement - 1);
    await pool.query(insertEnded, [campaignId, first, last, countries, slots, steps]);
  }
}

const insertEnded = `with r as (
       insert into runs (id, campaign, revision, scheduled_for, state, created_at, deadline_at, started_at, ended_at)
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
           || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid, $1, 1, at, 'completed', at,
             at + interval '1 hour', at, at + interval '10 min'
       from (select now() - n * interval '15 min' as at from generate_series($2::int, $3::int) n) t
       returning id, campaign, started_at, ended_at, prices
     ), e as (
       insert into run_events (run, at, kind) select id, started_at, kind from r, unnest(array['begun', 'ended']) kind
     ), p as (
       insert into run_progress (run, slot, at, ended)
       select id, n * 10, started_at + n * interval '50 s', n * 1000 from r, generate_series(0, 11) n
     ), f as (
       insert into feeds (feed, run, country, segment, snapshot, next_batch_no, fed_users, complete, step_units)
       select gen_random_uuid(), id, country, 'all', 's1', 101, 10000, true, step_units(campaign, 1, country, prices)
       from r, unnest($4::text[]) country returning feed
     )
     insert into run_totals (feed, step, slot, batches, succeeded, done, survived)
     select feed, step, slot, 100 / $5::int, 10000 / $5::int, 100 / $5::int, 100 / $5::int
     from f, generate_series(1, $6::int) step, generate_series(1, $5::int) slot`;

/** Query for the units that these runs have spent, by campaign and country. */
const spentUnits = `
  select r.campaign, f.country, sum((t.succeeded + t.unknown) * f.step_units[t.step])::bigint as units
  from runs r join feeds f on f.run = r.id join run_totals t on t.feed = f.feed
  where f.step_units is not null group by r.campaign, f.country`;

/** Adds the spent units to the budgets' `past_units`, as the end of each run does. */
export async function addToPastUnits(pool: Queries): Promise<void> {
  await pool.query(
    `update budgets b set past_units = s.units from (${spentUnits}) s where s.campaign = b.campaign and s.country = b.country`,
  );
}

/** Makes the database a control: its budgets add up the totals of all runs of their campaigns, including ended runs. */
export async function sumUpAllRuns(pool: Queries): Promise<void> {
  const { rows } = await pool.query<{ view: string }>(`select pg_get_viewdef('budget_figures') as view`);
  const view = rows[0]?.view ?? '';
  const all = view.replaceAll(/ AND \(?r\.ended_at IS NULL\)?/g, '');
  if (all === view) throw new Error('the control is none: budget_figures leaves no runs out');
  await pool.query(`create or replace view budget_figures as ${all}`);
}
