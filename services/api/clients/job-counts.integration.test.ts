import { expect, it } from 'vitest';
import { z } from 'zod';
import { jobCounts } from '../../../shared/contracts/jobs/client-figures.ts';
import { clientShape } from '../../../shared/contracts/jobs/clients.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const makeClient = async (name: string) => clientShape.parse((await on.ask('POST', '/v1/clients', { name })).json()).id;

/** Stores the job counts of the process with this slot. */
const count = (client: string, slot: number, sums: readonly number[]) =>
  on.pool.query(
    `insert into client_totals (client, slot, accepted, called, expired, cancelled, dead)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [uuidOf('client', client), slot, ...sums],
  );

const counts = async () => {
  const { asOf: _, ...counted } = jobCounts.parse((await on.ask('GET', '/v1/jobs/counts')).json());
  return counted;
};

it('the job counts of all processes are summed by client and in total, and the sums are consistent', async () => {
  const [shop, billing, quiet] = [await makeClient('shop'), await makeClient('billing'), await makeClient('quiet')];
  await count(shop, 1, [10, 4, 1, 0, 2]);
  await count(shop, 2, [5, 1, 0, 1, 0]);
  await count(billing, 1, [40, 20, 0, 0, 0]);
  const ofShop = { accepted: 15, called: 5, expired: 1, cancelled: 1, dead: 2, stored: 6 };
  const ofBilling = { accepted: 40, called: 20, expired: 0, cancelled: 0, dead: 0, stored: 20 };
  expect(await counts()).toEqual({
    accepted: 55,
    called: 25,
    expired: 1,
    cancelled: 1,
    dead: 2,
    stored: 26,
    clients: [
      { clientId: billing, ...ofBilling },
      { clientId: shop, ...ofShop },
    ],
  });
  expect(JSON.stringify(await counts())).not.toContain(quiet);
});

it('the job counts exclude jobs of notifications, and are empty if there have never been jobs', async () => {
  const nothing = { accepted: 0, called: 0, expired: 0, cancelled: 0, dead: 0, stored: 0, clients: [] };
  const made = await on.ask('POST', '/v1/notifications', { url: 'https://hooks.example.com/x', events: ['run.ended'] });
  expect(made.statusCode, made.body).toBe(201);
  const { notification } = z.object({ notification: z.object({ id: z.string() }) }).parse(made.json());
  await on.pool.query('insert into client_totals (client, slot, accepted) values ($1, 1, 3)', [
    uuidOf('notification', notification.id),
  ]);
  expect(await counts()).toEqual(nothing);
});
