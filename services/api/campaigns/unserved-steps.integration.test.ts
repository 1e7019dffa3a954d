import { expect, it } from 'vitest';
import { warning } from '../../../shared/contracts/campaigns/estimates.ts';
import { z } from 'zod';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const warned = z.object({ warnings: z.array(warning) });
const body = { ...someCampaign, countries: ['SG', 'ID'], chain: someCampaign.chain };

async function warningsOf(url: string, payload?: object) {
  return warned.parse((await on.ask('POST', `/v1/campaigns${url}`, payload)).json()).warnings;
}

/** As workers say it of the last step. @param refusal null: it is served */
async function report(worker: string, countries: readonly string[], refusal: string | null): Promise<void> {
  await on.pool.query(
    `insert into shard_reports (worker, action_type, country, in_flight, call_limit, waiting, breaker_open,
       batches_per_second, refusal)
     select $1, $2, country, 0, 0, 0, false, 0, $4 from unnest($3::text[]) as countries (country)`,
    [worker, body.chain.at(-1)?.action, countries, refusal],
  );
}

const cause = 'a secret of it is missing there, or does not open';

it('a step that no worker can take is told in the preview, and when the campaign is made and started', async () => {
  await report('a', ['SG', 'ID', 'VN'], cause);
  await report('b', ['SG', 'ID', 'VN'], cause);
  const last = body.chain.length - 1;
  const told = [
    {
      ...{ pointer: `/chain/${last}/action`, code: 'no-worker' },
      detail: `no worker can take ${body.chain[last]?.action} in ID, SG, and it would wait: ${cause}`,
    },
  ];
  expect(await warningsOf('/preview', body)).toEqual(told);
  const made = await on.ask('POST', '/v1/campaigns', body);
  expect(warned.parse(made.json()).warnings).toEqual(told);
  const { id } = made.json<{ id: string }>();
  expect(await warningsOf(`/${id}/start`)).toEqual(told);
});

it('is not told where another worker takes it, or of what was said a minute ago', async () => {
  await report('a', ['SG', 'ID'], cause);
  await report('b', ['SG'], null);
  expect(await warningsOf('/preview', body)).toMatchObject([
    { detail: expect.stringContaining('in ID, and') as string },
  ]);
  await on.passTime(61_000);
  expect(await warningsOf('/preview', body)).toEqual([]);
});
