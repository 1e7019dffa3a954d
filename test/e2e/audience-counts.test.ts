import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { beginExactCount, getExactCount, listAudiences } from '../../sdk/generated/sdk.gen.ts';
import type { ExactCount } from '../../sdk/generated/types.gen.ts';
import { countries, startInstallation, type Installation } from './installation.ts';

const users = 240_000;
const [inBoth, excluded] = [30_000, 5000];

let muster: Installation;
afterEach(() => muster.stop());

async function ended(id: string, onLook: (seen: ExactCount) => void = () => undefined): Promise<ExactCount> {
  for (;;) {
    const { data } = await getExactCount({ client: muster.api.client, path: { id } });
    if (data.endedAt !== null) return data;
    onLook(data);
    await wait(100);
  }
}

it('an exact audience count survives the kill of its trigger, and an equal request returns the stored result', async () => {
  muster = await startInstallation({
    workers: 1,
    sandbox: { SANDBOX_SEGMENTS: `riders=${users},vip=${inBoth},staff=${excluded}` },
    engine: { TRIGGER_FEED_LEASE_MS: '3000' },
  });
  const { client } = muster.api;
  const { data: offered } = await listAudiences({ client, query: { kind: 'segment' } });
  expect(offered.items.map(({ id, size }) => [id, size?.atMost])).toEqual([
    ['riders', users],
    ['staff', excluded],
    ['vip', inBoth],
  ]);
  const audience = { include: [{ segment: 'riders' }, { segment: 'vip' }], exclude: [{ segment: 'staff' }] };
  const body = { countries: [...countries], audience };

  const { data: begun } = await beginExactCount({ client, body });
  let isKilled = false;
  const done = await ended(begun.id, (seen) => {
    if (isKilled || seen.users < 20_000) return;
    isKilled = true;
    void muster.services
      .get('trigger')
      ?.end('SIGKILL')
      .then(() => muster.restart('trigger'));
  });
  expect(isKilled).toBe(true);
  // The first users of the segment are in the others too.
  expect(done).toMatchObject({ state: 'done', users: users - excluded, excluded, shared: inBoth - excluded });
  expect(done.parts).toEqual({ include: [users, inBoth], repeated: inBoth, exclude: [excluded], elsewhere: 0 });
  const again = await beginExactCount({ client, body });
  expect([again.response.status, again.data.id]).toEqual([200, begun.id]);

  const overlap = { countries: body.countries, audience: { include: [{ segment: 'vip' }] } };
  const { data: two } = await beginExactCount({
    client,
    body: { ...overlap, with: { include: [{ segment: 'staff' }] } },
  });
  expect(await ended(two.id)).toMatchObject({ users: inBoth, withUsers: excluded, both: excluded });
});
