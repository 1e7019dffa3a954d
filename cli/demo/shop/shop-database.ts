import { z } from 'zod';
import { connectClient } from '../../../shared/postgres/connection/servers/servers.ts';
import { lapsedQuery } from './shop-settings.ts';

const tables = `
create table customers (
  id text primary key,
  name text not null,
  email text,
  country text not null,
  is_closed boolean not null
);
create table orders (
  id bigint generated always as identity primary key,
  customer_id text not null references customers,
  placed_at timestamptz not null,
  amount numeric(10, 2) not null
);
create table points (
  id bigint generated always as identity primary key,
  run text not null,
  customer_id text not null references customers,
  points integer not null,
  credited_at timestamptz not null default now()
);
-- Stores the first result of each user, for repeated calls (docs/connectors/sql.md).
create table muster_results (
  run text, step int, user_id text collate "C", code text, primary key (run, step, user_id)
);`;

/** Adds customers in three countries. 2 % have closed their account, and 1 % have no address. */
const addCustomers = `
insert into customers
select lower(country) || '-' || lpad(i::text, 6, '0'), name,
  case when i % 100 <> 4
    then lower(name) || '.' || i || '@example.' || (array['com', 'net', 'org'])[1 + i % 3] end,
  country, i % 50 = 7
from generate_series(1, $1::int) i
cross join lateral (select
  case when i / 10 % 20 < 8 then 'SG' when i / 10 % 20 < 15 then 'ID' else 'VN' end as country,
  (array['Mei', 'Arif', 'Linh', 'Putri', 'Wei', 'Siti', 'Minh', 'Dewi', 'Jun', 'Hoa', 'Budi', 'Anh'])
    [1 + i % 12] as name
) c`;

/** Adds up to three orders of each customer. 10 % have none, 30 % ordered within 90 days, 60 % before. */
const addOrders = `
insert into orders (customer_id, placed_at, amount)
select id, now() - (days + 40 * earlier) * interval '1 day', 10 + (number * 7 + earlier * 31) % 90
from (select id, right(id, 6)::int as number from customers) c
cross join lateral (select case when number % 10 <= 3 then 1 + number % 80 else 100 + number % 250 end as days) d
cross join lateral generate_series(0, number % 3) earlier
where number % 10 <> 0`;

/** Fills the shop's database. Resolves with the number of orders. @param url URL of an empty database */
export async function fillShop(url: string, customers: number): Promise<number> {
  return await withClient(url, async (client) => {
    await client.query(tables);
    await client.query(addCustomers, [customers]);
    const { rowCount } = await client.query(addOrders);
    await client.query('create index on orders (customer_id, placed_at)');
    await client.query('vacuum analyze customers, orders');
    return rowCount ?? 0;
  });
}

const figures = z.object({ lapsed: z.number(), credits: z.number(), credited: z.number() });

/** Counts from the shop's own tables. */
export type ShopFigures = z.infer<typeof figures>;

/** Counts the customers of the segment, the credits of the run, and the customers with such a credit. */
export async function readShop(url: string, runId: string): Promise<ShopFigures> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<object>(
      `select (select count(*)::int from (${lapsedQuery}) l) as lapsed, count(*)::int as credits,
         count(distinct customer_id)::int as credited
       from points where run = $1`,
      [runId],
    );
    return figures.parse(rows[0]);
  });
}

type Client = Awaited<ReturnType<typeof connectClient>>;

async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connectClient(url);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
