import { setTimeout as wait } from 'node:timers/promises';
import { createCampaign, getRunProgress, getRunReport, listRuns, startCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { CampaignDefinitionInput, RunProgress, RunReport } from '../../sdk/generated/types.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { userFailureShape, type UserFailureShape } from '../../shared/contracts/runs/runs.ts';

const pollMs = 50;

interface RequestOptions {
  method?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

type Campaign = Omit<CampaignDefinitionInput, 'audience' | 'countries'> & {
  countries: readonly string[];
  /** In place of an audience. */
  segment?: string;
  audience?: CampaignDefinitionInput['audience'];
};

/** Requests of the end-to-end tests, sent with the client that other teams install. It repeats nothing here. */
export interface MusterApi {
  /** For every operation: `pauseRun({ client, path: { id } })`. */
  readonly client: ReturnType<typeof createMusterClient>;
  /**
   * Creates a campaign over a segment or another audience and starts it; the id of its run, as soon as there is one.
   */
  run(campaign: Campaign): Promise<string>;
  /**
   * Resolves with the last progress when the run has ended; hears of it over the event stream, and connects again when
   * that breaks.
   */
  awaitEnd(runId: string, onProgress?: (progress: RunProgress) => void, giveUp?: AbortSignal): Promise<RunProgress>;
  progress(runId: string): Promise<RunProgress>;
  report(runId: string): Promise<RunReport>;
  /** All of them, however many. */
  failures(runId: string): Promise<UserFailureShape[]>;
  /** Sends a request whose body is not JSON, or whose answer is read as a stream. */
  request(path: string, init?: RequestOptions): Promise<Response>;
}

export function createMusterApi(baseUrl: string, apiKey: string): MusterApi {
  const client = createMusterClient({ url: baseUrl, apiKey, retries: 0 });
  const request = (path: string, { headers, ...init }: RequestOptions = {}) =>
    fetch(`${baseUrl}${path}`, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...headers } });
  return {
    client,
    run: async ({ segment, audience = { include: [{ segment: segment ?? '' }] }, countries, ...campaign }) => {
      const body = { ...campaign, audience, countries: [...countries] };
      const { id } = (await createCampaign({ client, body })).data;
      await startCampaign({ client, path: { id } });
      for (;;) {
        const [run] = (await listRuns({ client, query: { campaignId: id } })).data.items;
        if (run) return run.runId;
        await wait(pollMs);
      }
    },
    awaitEnd: async (runId, onProgress, giveUp) => {
      for (;;) {
        giveUp?.throwIfAborted();
        // The api may be down for a moment, or lose its database: the stream breaks, and is asked for again.
        const { stream } = await client.sse.get<Record<string, RunProgress>>({
          url: '/v1/runs/{id}/progress',
          path: { id: runId },
          headers: { accept: 'text/event-stream' },
          sseMaxRetryAttempts: 1,
          ...(giveUp && { signal: giveUp }),
        });
        for await (const progress of stream) {
          onProgress?.(progress);
          if (progress.endedAt) return progress;
        }
        await wait(pollMs);
      }
    },
    progress: async (runId) => (await getRunProgress({ client, path: { id: runId } })).data,
    report: async (runId) => (await getRunReport({ client, path: { id: runId } })).data,
    failures: async (runId) => {
      const response = await request(`/v1/runs/${runId}/failures`, { headers: { accept: 'application/x-ndjson' } });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => userFailureShape.parse(JSON.parse(line)));
    },
    request,
  };
}
