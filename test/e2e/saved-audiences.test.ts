import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import {
  changeAudience,
  createAudience,
  createCampaign,
  getAudience,
  getCampaign,
  startCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const country = 'SG';
/** Users of each segment in Singapore: two fifths of the segment. Users of `away` are among the members. */
const [members, away] = [240, 36];

let muster: Installation;
afterEach(() => muster.stop());

async function firstRunOf(id: string): Promise<string> {
  for (;;) {
    const { data } = await getCampaign({ client: muster.api.client, path: { id } });
    const runId = data.links.latestRun?.split('/').at(-1);
    if (runId !== undefined) return runId;
    await wait(50);
  }
}

it('a campaign reaches the users of the saved audience revision it copied, whatever changed since', async () => {
  muster = await startInstallation({
    workers: 1,
    sandbox: { SANDBOX_SEGMENTS: 'members=600,away=90' },
    countries: [country],
  });
  const { client } = muster.api;
  const countries = [country];
  const audience = { include: [{ segment: 'members' }], exclude: [{ segment: 'away' }] };
  const { data: saved } = await createAudience({ client, body: { name: 'Members', countries, audience } });
  const path = { id: saved.id };
  const taken = { audience, savedAudience: { id: saved.id, revision: saved.revision } };
  const { data: campaign } = await createCampaign({
    client,
    body: { name: 'December', countries, chain: rewardThenMessage, ...taken },
  });
  await changeAudience({ client, path, body: { audience: { include: [{ segment: 'away' }] } } });

  await startCampaign({ client, path: { id: campaign.id } });
  const runId = await firstRunOf(campaign.id);
  const { state } = await muster.api.awaitEnd(runId);
  const { audience: reached } = await muster.api.report(runId);

  expect([state, reached.counted, reached.excluded]).toEqual(['completed', members - away, away]);
  const { data: now } = await getAudience({ client, path });
  expect(now).toMatchObject({ revision: 2, usedBy: 1, latestUse: { campaignId: campaign.id, revision: 1 } });
});
