import { z } from 'zod';
import { runProgress, runReport, type RunProgress, type RunReport } from '../../shared/contracts/runs.ts';

/** What the commands show; the rest of the answer, which may grow, is passed on as it came. */
const campaign = z.object({
  id: z.string(),
  name: z.string(),
  revision: z.int(),
  state: z.string(),
  countries: z.array(z.string()),
  nextRunAt: z.string().nullable(),
});

export type Campaign = z.infer<typeof campaign>;

const runIds = z.object({ items: z.array(z.object({ runId: z.string() })) });
const campaignPage = z.object({ items: z.array(campaign), next: z.string().nullable() });

/** As the API describes what it refuses (RFC 9457). */
const problem = z.object({
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string().optional(), detail: z.string().optional() }))
    .default([]),
});

export type Problem = z.infer<typeof problem>;

/** The API answered and said no. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly problem: Problem;

  constructor(refused: Problem) {
    super(refused.detail ?? refused.title);
    this.problem = refused;
  }
}

/** The API did not answer, or not as the API would: asking again may help. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
}

/** What was read, with the answer as it came, for `--json`. */
export interface Answer<Value> {
  value: Value;
  raw: unknown;
}

export interface ApiClient {
  createCampaign(definition: unknown): Promise<Answer<Campaign>>;
  /** Newest first. */
  listCampaigns(limit: number, cursor: string | undefined): Promise<Answer<z.infer<typeof campaignPage>>>;
  showCampaign(id: string): Promise<Answer<Campaign>>;
  startCampaign(id: string): Promise<Answer<Campaign>>;
  /** The newest run of a campaign. */
  latestRun(campaignId: string): Promise<string | undefined>;
  progress(runId: string): Promise<Answer<RunProgress>>;
  report(runId: string): Promise<Answer<RunReport>>;
}

export interface ApiClientDeps {
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
}

const timeoutMs = 30_000;

export function createApiClient({ baseUrl, apiKey, fetch }: ApiClientDeps): ApiClient {
  async function ask<Shape extends z.ZodType>(
    shape: Shape,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<Answer<z.infer<Shape>>> {
    const raw = await exchange(method, path, body);
    const parsed = shape.safeParse(raw);
    if (parsed.success) return { value: parsed.data, raw };
    throw new ApiUnavailable(`${baseUrl}${path} does not answer as Muster does: ${z.prettifyError(parsed.error)}`);
  }

  async function exchange(method: string, path: string, body: unknown): Promise<unknown> {
    const response = await send(method, path, body);
    const text = await response.text().catch(() => '');
    const json = parseJson(text);
    if (response.ok && json !== undefined) return json;
    const refused = problem.safeParse(json);
    // 429 is about when, not about what.
    if (refused.success && response.status < 500 && response.status !== 429) throw new ApiRefusal(refused.data);
    const told = refused.data?.detail ?? refused.data?.title ?? text.slice(0, 200);
    throw new ApiUnavailable(`${method} ${baseUrl}${path}: ${response.status} ${told}`.trimEnd());
  }

  async function send(method: string, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new ApiUnavailable(`nobody answers at ${baseUrl}: ${causeOf(error)}`, { cause: error });
    }
  }

  return {
    createCampaign: (definition) => ask(campaign, 'POST', '/v1/campaigns', definition),
    listCampaigns: (limit, cursor) => {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      return ask(campaignPage, 'GET', `/v1/campaigns?${query.toString()}`);
    },
    showCampaign: (id) => ask(campaign, 'GET', `/v1/campaigns/${encodeURIComponent(id)}`),
    startCampaign: (id) => ask(campaign, 'POST', `/v1/campaigns/${encodeURIComponent(id)}/start`, {}),
    latestRun: async (campaignId) => {
      const { value } = await ask(runIds, 'GET', `/v1/runs?campaignId=${encodeURIComponent(campaignId)}&limit=1`);
      return value.items[0]?.runId;
    },
    progress: (runId) => ask(runProgress, 'GET', `/v1/runs/${encodeURIComponent(runId)}/progress`),
    report: (runId) => ask(runReport, 'GET', `/v1/runs/${encodeURIComponent(runId)}/report`),
  };
}

/** Undefined when it is no JSON, which no answer of the API is. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** fetch says "fetch failed" and hides why one level down. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
