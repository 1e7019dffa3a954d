import { Client } from 'pg';
import { country, type EngineUnderTest } from '../engine-under-test.ts';
import { usersPerBatch } from '../campaign-times.ts';

/** Weeks before this one in which the users had effects, and campaigns in each week. */
const weeks = 4;
const campaignsPerWeek = 2;

const campaigns = weeks * campaignsPerWeek;

/**
 * Distances of users from the cap. `near`: as many campaigns have called users in the range of each batch as the cap
 * allows effects, so each claim compares users; but each campaign called only every second user, so none reaches the
 * cap. `far`: the cap allows twice as many effects, so no users are compared.
 */
export const nearnesses = ['near', 'far'] as const;

export type Nearness = (typeof nearnesses)[number];

/** Times in the future separate the history from the effects that the measured campaigns add. */
const timeOfHistory = `now() + interval '1 day'`;

type Measured = Pick<EngineUnderTest, 'databaseUrl' | 'actionTypes'>;

/** Sets a cap on all action types of the engine, and writes effects of earlier campaigns for the first of its users. */
export async function writeCappedHistory(
  { databaseUrl, actionTypes }: Measured,
  users: number,
  nearness: Nearness,
): Promise<void> {
  const effects = nearness === 'near' ? campaigns : 2 * campaigns;
  const countsFrom = '2000-01-01T00:00:00.000Z';
  const cap = { name: 'all-steps', actionTypes, effects, days: 7 * (weeks + 1), counting: 'rolling', countsFrom };
  await withClient(databaseUrl, async (client) => {
    await client.query(`select make_feed_partitions(now() - $1::int * interval '7 days', now())`, [weeks]);
    for (let campaign = 0; campaign < campaigns; campaign++) {
      await client.query(insertCampaign, [
        Math.ceil((campaign + 1) / campaignsPerWeek),
        campaign,
        actionTypes[campaign % actionTypes.length],
        country,
        users,
      ]);
    }
    await client.query('vacuum analyze capped_effects');
    await client.query('insert into cap_revisions (revision, caps) values (1, $1)', [JSON.stringify([cap])]);
  });
}

/** Deletes the effects of the measured campaigns, so that each turn begins with the same history. */
export async function deleteMeasuredEffects({ databaseUrl }: Measured): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('delete from capped_effects where at <= now()');
    await client.query('vacuum capped_effects');
  });
}

/** $1: weeks ago, $2: number of the campaign, $3: action type, $4: country, $5: number of users. */
const insertCampaign = `
  insert into capped_effects (feed, batch_no, step, action_type, country, campaign, at, users, span)
  select f.feed, b.batch_no, 1, $3, $4, f.feed, ${timeOfHistory}, string_agg(to_json(b.id)::text, ',' order by b.id),
    span_of_users($4, min(b.id), max(b.id))
  from (select overlay(min_feed_id(now() - $1::int * interval '7 days')::text placing '7' from 15)::uuid as base) w
  cross join lateral (select (left(w.base::text, 24) || lpad(to_hex($2::int + 1), 12, '0'))::uuid as feed) f
  cross join lateral (
    select n / ${2 * usersPerBatch} + 1 as batch_no, 'user-' || lpad(n::text, 9, '0') as id
    from generate_series($2::int % 2, $5::int - 1, 2) n
  ) b
  group by f.feed, b.batch_no`;

async function withClient(databaseUrl: string, run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}
