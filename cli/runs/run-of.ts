import type { ApiClient } from '../api/api-client.ts';

/** The run that is meant: the newest one of a campaign. */
export async function runOf(id: string, api: ApiClient): Promise<string> {
  if (!id.startsWith('cmp_')) return id;
  const runId = await api.latestRun(id);
  if (runId !== undefined) return runId;
  // Says so when it is the campaign that is not there.
  const { value } = await api.showCampaign(id);
  const how = value.state === 'draft' ? `: it is not started` : '';
  throw new Error(`${id} has no run yet${how}`);
}
