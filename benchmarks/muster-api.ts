import {
  cancelRun,
  createCampaign,
  getRunProgress,
  getRunReport,
  listRuns,
  pauseRun,
  resumeRun,
  startCampaign,
} from '../sdk/generated/sdk.gen.ts';
import type { Run, RunProgress } from '../sdk/generated/types.gen.ts';
import { createMusterClient } from '../sdk/muster.ts';

/** What a campaign of a benchmark is: one segment, one country or many, a chain of (action, params). */
export interface Campaign {
  name: string;
  countries: string[];
  segment: string;
  chain: { action: string; params?: Record<string, string> }[];
  paceUsersPerSecond?: number;
}

/** The engine as a client sees it: the same over every version that keeps its published API. */
export interface MusterApi {
  /** Creates a campaign and starts it; its public id. */
  start(campaign: Campaign): Promise<string>;
  /** Undefined while the campaign has none. */
  run(campaignId: string): Promise<Run | undefined>;
  /** Pauses, resumes or cancels a run. */
  control(runId: string, verb: 'pause' | 'resume' | 'cancel'): Promise<void>;
  /** Users that succeeded and failed, step by step. */
  figures(runId: string): Promise<Pick<RunProgress, 'steps'>>;
  /** Milliseconds until the first byte of a run's report arrived; null when there was none to be had. */
  firstByteOfReport(runId: string): Promise<number | null>;
}

const deadlineSeconds = 3600;

const controls = { pause: pauseRun, resume: resumeRun, cancel: cancelRun };

export function createMusterApi(baseUrl: string, apiKey: string): MusterApi {
  // A request that fails is a failure of the benchmark: none is sent again.
  const client = createMusterClient({ url: baseUrl, apiKey, retries: 0 });
  return {
    start: async ({ segment, ...campaign }) => {
      const body = { ...campaign, audience: { include: [{ segment }] }, deadlineSeconds };
      const { id } = (await createCampaign({ client, body })).data;
      await startCampaign({ client, path: { id } });
      return id;
    },
    run: async (campaignId) => (await listRuns({ client, query: { campaignId } })).data.items[0],
    control: async (runId, verb) => {
      await controls[verb]({ client, path: { id: runId }, body: {} });
    },
    figures: async (runId) => (await getRunProgress({ client, path: { id: runId } })).data,
    firstByteOfReport: async (runId) => {
      const askedAt = performance.now();
      const asked = getRunReport({ client, path: { id: runId }, parseAs: 'stream' });
      const { response } = await asked.catch(() => ({ response: undefined }));
      const reader = response?.body?.getReader();
      await reader?.read();
      const tookMs = performance.now() - askedAt;
      await reader?.cancel();
      return response ? tookMs : null;
    },
  };
}
