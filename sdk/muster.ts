import type {
  AcceptedJob,
  CancelledJob,
  Client,
  ClientForecast,
  ClientLedger,
  Job,
  JobChange,
  JobResults,
  JobSummary,
  NewDueInput,
  NewJobChangeInput,
  NewJobInput,
  NewJobsInput,
  Problem,
} from './api-types.ts';

export interface MusterOptions {
  /** Such as `https://muster.example.com`. */
  url: string;
  apiKey: string;
  /** How often a request is sent again that was refused for now, or whose answer was lost. */
  retries?: number;
  fetch?: typeof fetch;
}

/** Muster said no. Programs decide by `problem.code`. */
export class MusterProblem extends Error {
  override readonly name = 'MusterProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export interface JobQuery {
  client?: string;
  state?: Job['state'];
  tag?: string;
  dueFrom?: string;
  dueUntil?: string;
}

const longestWaitMs = 30_000;
const usualWaitMs = 500;
const again: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Schedules callbacks. A request is sent again when it was refused for now (429, 503), or when its answer was lost and it has a key, or changes
 * nothing twice: give every job an `idempotencyKey`.
 */
export function createMuster({ url, apiKey, retries = 5, fetch: send = fetch }: MusterOptions) {
  const base = url.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function exchange(method: string, path: string, body: unknown): Promise<Response> {
    const content = body === undefined ? null : JSON.stringify(body);
    return await send(`${base}${path}`, { method, headers, body: content });
  }

  async function ask<Answer>(method: string, path: string, body?: unknown, isRepeatable = true): Promise<Answer> {
    for (let left = retries; ; left--) {
      try {
        const response = await exchange(method, path, body);
        if (response.ok) return await read<Answer>(response);
        if (left === 0 || !again.has(response.status)) throw new MusterProblem(await read<Problem>(response));
        await response.body?.cancel();
        await wait(retryAfterMs(response));
      } catch (error) {
        if (error instanceof MusterProblem || left === 0 || !isRepeatable) throw error;
        await wait(usualWaitMs);
      }
    }
  }

  const job = (id: string, rest = '') => `/v1/jobs/${encodeURIComponent(id)}${rest}`;
  const client = (ref: string, rest = '') => `/v1/clients/${encodeURIComponent(ref)}${rest}`;

  return {
    schedule: (wanted: NewJobInput) =>
      ask<AcceptedJob>('POST', '/v1/jobs', wanted, wanted.idempotencyKey !== undefined),
    /** Up to 5,000, with a result for each. */
    scheduleMany: (wanted: NewJobsInput) =>
      ask<JobResults>(
        'POST',
        '/v1/jobs/bulk',
        wanted,
        wanted.jobs.every((each) => each.idempotencyKey !== undefined),
      ),
    job: (id: string) => ask<Job>('GET', job(id)),
    /** All that fit, page by page. */
    async *jobs(query: JobQuery = {}): AsyncGenerator<JobSummary> {
      for (let cursor: string | null = ''; cursor !== null;) {
        const parameters = new URLSearchParams({ ...query, limit: '500', ...(cursor !== '' && { cursor }) });
        const page: { items: JobSummary[]; next: string | null } = await ask(
          'GET',
          `/v1/jobs?${parameters.toString()}`,
        );
        yield* page.items;
        cursor = page.next;
      }
    },
    cancel: (id: string) => ask<CancelledJob>('POST', job(id, '/cancel')),
    reschedule: (id: string, due: NewDueInput) => ask<Job>('POST', job(id, '/reschedule'), due),
    runNow: (id: string) => ask<Job>('POST', job(id, '/run-now')),
    /** Not sent again when its answer is lost: the jobs that fit may be others by then. */
    changeJobs: (wanted: NewJobChangeInput) => ask<JobChange>('POST', '/v1/jobs/changes', wanted, false),
    jobChange: (id: string) => ask<JobChange>('GET', `/v1/jobs/changes/${encodeURIComponent(id)}`),
    client: (ref: string) => ask<Client>('GET', client(ref)),
    ledger: (ref: string) => ask<ClientLedger>('GET', client(ref, '/ledger')),
    forecast: (ref: string, hours = 6) => ask<ClientForecast>('GET', client(ref, `/forecast?hours=${hours}`)),
  };
}

export type Muster = ReturnType<typeof createMuster>;

async function read<Answer>(response: Response): Promise<Answer> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the API checks its answers against the document that the types are made from
  const value: Answer = JSON.parse(await response.text());
  return value;
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(seconds) ? usualWaitMs : Math.min(longestWaitMs, seconds * 1000);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
