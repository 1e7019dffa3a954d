import { z } from 'zod';

/** What a campaign of a benchmark is: one segment, one country or many, a chain of (action, params). */
export interface Campaign {
  name: string;
  countries: readonly string[];
  segment: string;
  chain: readonly { action: string; params?: Record<string, string> }[];
}

const runShape = z.object({
  runId: z.string(),
  state: z.string(),
  stateReason: z.string().nullable(),
  endedAt: z.string().nullable(),
});
const figuresShape = z.object({ steps: z.array(z.object({ succeeded: z.int(), failed: z.int() })) });

export type Run = z.infer<typeof runShape>;

/** The engine as a client sees it: the same over every version that keeps its published API. */
export interface MusterApi {
  /** Creates a campaign and starts it; its public id. */
  start(campaign: Campaign): Promise<string>;
  /** Undefined while the campaign has none. */
  run(campaignId: string): Promise<Run | undefined>;
  /** Pauses, resumes or cancels a run. */
  control(runId: string, verb: 'pause' | 'resume' | 'cancel'): Promise<void>;
  /** Users that succeeded and failed, step by step. */
  figures(runId: string): Promise<z.infer<typeof figuresShape>>;
  /** Milliseconds until the first byte of a run's report arrived; null when there was none to be had. */
  firstByteOfReport(runId: string): Promise<number | null>;
}

const deadlineSeconds = 3600;

export function createMusterApi(baseUrl: string, apiKey: string): MusterApi {
  const request = (path: string, body?: unknown) =>
    fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });

  async function json(path: string, body?: unknown): Promise<unknown> {
    const response = await request(path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  return {
    start: async ({ segment, ...campaign }) => {
      const definition = { ...campaign, audience: { include: [{ segment }] }, deadlineSeconds };
      const { id } = z.object({ id: z.string() }).parse(await json('/v1/campaigns', definition));
      await json(`/v1/campaigns/${id}/start`, {});
      return id;
    },
    run: async (campaignId) =>
      z.object({ items: z.array(runShape) }).parse(await json(`/v1/runs?campaignId=${campaignId}`)).items[0],
    control: async (runId, verb) => {
      await json(`/v1/runs/${runId}/${verb}`, {});
    },
    figures: async (runId) => figuresShape.parse(await json(`/v1/runs/${runId}/progress`)),
    firstByteOfReport: async (runId) => {
      const askedAt = performance.now();
      const response = await request(`/v1/runs/${runId}/report`);
      const reader = response.body?.getReader();
      await reader?.read();
      const tookMs = performance.now() - askedAt;
      await reader?.cancel();
      return response.ok ? tookMs : null;
    },
  };
}
