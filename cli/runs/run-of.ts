import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { getCampaign, listRuns } from '../../sdk/generated/sdk.gen.ts';

/** The run that is meant: the newest one of a campaign. */
export async function runOf(id: string, client: Client): Promise<string> {
  if (!id.startsWith('cmp_')) return id;
  const runId = await latestRun(id, client);
  if (runId !== undefined) return runId;
  // Says so when it is the campaign that is not there.
  const { data } = await getCampaign({ client, path: { id } });
  throw new Error(`${id} has no run yet${data.state === 'draft' ? `: it is not started` : ''}`);
}

/** Undefined while it has none. */
export async function latestRun(campaignId: string, client: Client): Promise<string | undefined> {
  return (await listRuns({ client, query: { campaignId, limit: 1 } })).data.items[0]?.runId;
}
