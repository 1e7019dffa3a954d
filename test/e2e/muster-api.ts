import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import {
  runProgress,
  runReport,
  userFailureShape,
  type RunProgress,
  type RunReport,
  type UserFailureShape,
} from '../../shared/contracts/runs/runs.ts';

const pollMs = 50;

interface RequestOptions {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface Campaign {
  name: string;
  countries: readonly string[];
  segment?: string;
  /** In place of a segment alone. */
  audience?: object;
  chain: readonly object[];
  budgets?: readonly object[];
  schedule?: object;
  deadlineSeconds?: number;
  priority?: string;
  paceUsersPerSecond?: number;
}

/**
 * What the end-to-end tests ask of the API, as a client would: over HTTP, answers checked against the published shapes.
 */
export interface MusterApi {
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
  failures(runId: string): Promise<UserFailureShape[]>;
  request(path: string, init?: RequestOptions): Promise<Response>;
}

export function createMusterApi(baseUrl: string, apiKey: string): MusterApi {
  const request = (path: string, init: RequestOptions = {}) =>
    fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...init.headers },
    });

  async function json(path: string, init?: RequestOptions): Promise<unknown> {
    const response = await request(path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  return {
    request,
    run: async ({ segment, audience = { include: [{ segment }] }, ...campaign }) => {
      const definition = { ...campaign, audience };
      const created = await json('/v1/campaigns', { method: 'POST', body: JSON.stringify(definition) });
      const { id } = z.object({ id: z.string() }).parse(created);
      await json(`/v1/campaigns/${id}/start`, { method: 'POST', body: '{}' });
      const runs = z.object({ items: z.array(z.object({ runId: z.string() })) });
      for (;;) {
        const [run] = runs.parse(await json(`/v1/runs?campaignId=${id}`)).items;
        if (run) return run.runId;
        await wait(pollMs);
      }
    },
    awaitEnd: async (runId, onProgress, giveUp) => {
      const signal = giveUp && { signal: giveUp };
      for (;;) {
        giveUp?.throwIfAborted();
        // The api may be down for a moment, or lose its database: the stream breaks, and is asked for again.
        const last = await request(`/v1/runs/${runId}/progress`, {
          headers: { accept: 'text/event-stream' },
          ...signal,
        })
          .then((response) => lastProgress(response, onProgress))
          .catch(() => undefined);
        if (last?.endedAt) return last;
        await wait(pollMs);
      }
    },
    progress: async (runId) => runProgress.parse(await json(`/v1/runs/${runId}/progress`)),
    report: async (runId) => runReport.parse(await json(`/v1/runs/${runId}/report`)),
    failures: async (runId) => {
      const response = await request(`/v1/runs/${runId}/failures`, { headers: { accept: 'application/x-ndjson' } });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => userFailureShape.parse(JSON.parse(line)));
    },
  };
}

/** Reads an event stream to its end; the data of its last progress event. */
async function lastProgress(
  response: Response,
  onProgress?: (progress: RunProgress) => void,
): Promise<RunProgress | undefined> {
  let last: RunProgress | undefined;
  let rest = '';
  if (!response.body) return undefined;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trim())
        .join('');
      const progress = data === '' ? undefined : runProgress.safeParse(JSON.parse(data)).data;
      if (!progress) continue;
      last = progress;
      onProgress?.(progress);
    }
  }
  return last;
}
