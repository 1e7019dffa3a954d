import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getCampaign, listRuns } from '../../sdk/generated/sdk.gen.ts';

/** Returns the run, or the newest run of a campaign. */
export async function runOf(id: string, client: Client): Promise<string> {
  if (!id.startsWith('cmp_')) return id;
  const runId = await latestRun(id, client);
  if (runId !== undefined) return runId;
  // Reports an error if the campaign does not exist.
  const { data } = await getCampaign({ client, path: { id } });
  throw new Error(`${id} has no run yet${data.state === 'draft' ? `: it is not started` : ''}`);
}

/** Returns undefined if the campaign has no run. */
export async function latestRun(campaignId: string, client: Client): Promise<string | undefined> {
  return (await listRuns({ client, query: { campaignId, limit: 1 } })).data.items[0]?.runId;
}
