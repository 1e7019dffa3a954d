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

/**
 * Campaign of a benchmark: one segment, one or several countries, and a chain of steps with an action and its
 * parameters.
 */
export interface Campaign {
  name: string;
  countries: string[];
  segment: string;
  chain: { action: string; params?: Record<string, string> }[];
  paceUsersPerSecond?: number;
}

/** The engine as a client sees it. The interface works with every version that keeps the published API. */
export interface MusterApi {
  /** Creates a campaign, starts it, and returns its public id. */
  start(campaign: Campaign): Promise<string>;
  /** Returns the campaign's run; undefined if it has none yet. */
  run(campaignId: string): Promise<Run | undefined>;
  /** Pauses, resumes or cancels a run. */
  control(runId: string, verb: 'pause' | 'resume' | 'cancel'): Promise<void>;
  /** Returns the numbers of succeeded and failed users for each step. */
  figures(runId: string): Promise<Pick<RunProgress, 'steps'>>;
  /** Returns the milliseconds until the first byte of a run's report arrived; null if the API refused the report. */
  firstByteOfReport(runId: string): Promise<number | null>;
}

const deadlineSeconds = 3600;

const controls = { pause: pauseRun, resume: resumeRun, cancel: cancelRun };

export function createMusterApi(baseUrl: string, apiKey: string): MusterApi {
  // Requests are not retried: a failed request is a failure of the benchmark.
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
      const requestedAt = performance.now();
      const requested = getRunReport({ client, path: { id: runId }, parseAs: 'stream' });
      const { response } = await requested.catch(() => ({ response: undefined }));
      const reader = response?.body?.getReader();
      await reader?.read();
      const tookMs = performance.now() - requestedAt;
      await reader?.cancel();
      return response ? tookMs : null;
    },
  };
}
