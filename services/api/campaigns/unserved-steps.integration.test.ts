import { beforeEach, expect, it } from 'vitest';
import { warning } from '../../../shared/contracts/warnings.ts';
import { z } from 'zod';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';

const on = apiOnPostgres();

const warned = z.object({ warnings: z.array(warning) });
const body = { ...someCampaign, countries: ['SG', 'ID'], chain: someCampaign.chain };
const actions = body.chain.map(({ action }) => action);
const last = body.chain.length - 1;

async function warningsOf(url: string, payload?: object) {
  return warned.parse((await on.ask('POST', `/v1/campaigns${url}`, payload)).json()).warnings;
}

/**
 * Stores the report of a worker that serves all steps except the last. It also serves the last step if `refusal` is
 * null.
 */
async function report(worker: string, countries: readonly string[], refusal: string | null): Promise<void> {
  await reportShards(on.pool, worker, { actions: actions.slice(0, last), countries });
  await reportShards(on.pool, worker, { actions: actions.slice(last), countries }, refusal);
}

const cause = 'a secret of it is missing there, or does not open';
const unserved = (where: string, why: string, step = last, action = actions[step]) => ({
  pointer: `/chain/${step}/action`,
  code: 'no-worker',
  detail: `no worker can serve ${action} in ${where}, and it would wait: ${why}`,
});
/** Makes the action types so old that workers must have reported on them. */
const ageActionTypes = () => on.pool.query(`update action_types set created_at = created_at - interval '61 seconds'`);
beforeEach(ageActionTypes);

const noneIsSet = 'none runs that is set to serve it';

/** Returns the warnings of the preview, of the creation and of the start of a campaign. */
async function collectWarnings() {
  const preview = await warningsOf('/preview', body);
  const made = await on.ask('POST', '/v1/campaigns', body);
  const { id } = made.json<{ id: string }>();
  return [preview, warned.parse(made.json()).warnings, await warningsOf(`/${id}/start`)];
}

it('a step that no worker can serve causes a warning in the preview, at creation and at the start', async () => {
  await report('a', ['SG', 'ID', 'VN'], cause);
  await report('b', ['SG', 'ID', 'VN'], cause);
  const expected = [unserved('ID, SG', cause)];
  expect(await collectWarnings()).toEqual([expected, expected, expected]);
});

it('a step that no running worker is configured to serve causes a warning for these countries', async () => {
  await report('a', ['SG'], null);
  await reportShards(on.pool, 'b', { actions: actions.slice(0, last), countries: ['ID'] });
  const expected = [unserved('ID', noneIsSet)];
  expect(await collectWarnings()).toEqual([expected, expected, expected]);
});

it('a step that another worker serves causes no warning', async () => {
  await report('a', ['SG', 'ID'], cause);
  await report('b', ['SG'], null);
  expect(await warningsOf('/preview', body)).toEqual([unserved('ID', cause)]);
  await report('b', ['ID'], null);
  expect(await warningsOf('/preview', body)).toEqual([]);
});

it('all steps cause a warning if no worker has reported for a minute', async () => {
  await report('a', ['SG', 'ID'], null);
  expect(await warningsOf('/preview', body)).toEqual([]);
  await on.passTime(61_000);
  expect(await warningsOf('/preview', body)).toEqual(actions.map((_, step) => unserved('ID, SG', noneIsSet, step)));
});

it('a new action type causes no warning, because workers cannot have reported on it yet', async () => {
  await report('a', ['SG', 'ID'], null);
  const type = { name: 'give-stars', url: 'https://stars.example/v1/batches', class: 'A' };
  expect((await on.ask('POST', '/v1/action-types', type)).statusCode).toBe(201);
  const withStars = { ...body, chain: [...body.chain, { action: 'give-stars', params: {} }] };
  expect(await warningsOf('/preview', withStars)).toEqual([]);
  await ageActionTypes();
  expect(await warningsOf('/preview', withStars)).toEqual([
    unserved('ID, SG', noneIsSet, body.chain.length, 'give-stars'),
  ]);
});
