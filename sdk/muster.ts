import { createClient as createApiClient } from './generated/client/client.gen.ts';
import type { Client as ApiClient } from './generated/client/types.gen.ts';
import {
  cancelJob,
  cancelJobs,
  changeJobs,
  createJob,
  createJobs,
  findJobs,
  getClient,
  getClientForecast,
  getClientLedger,
  getJob,
  getJobChange,
  listJobs,
  rescheduleJob,
  resendJobs,
  runJobNow,
} from './generated/sdk.gen.ts';
import type {
  JobSummary,
  JobsToResendInput,
  ListedJobsInput,
  ListJobsData,
  NewDueInput,
  NewJobChangeInput,
  NewJobInput,
  NewJobsInput,
  Problem,
} from './generated/types.gen.ts';
import { createRetryingFetch } from './retrying-fetch.ts';

export interface MusterOptions {
  /** Base URL, such as `https://muster.example.com`. */
  url: string;
  apiKey: string;
  /** Maximum repeats of a request that was refused temporarily, or whose answer was lost. */
  retries?: number;
  fetch?: typeof fetch;
}

/** A request that Muster refused. Programs decide by `code`, such as `name-taken`. */
export class MusterProblem extends Error {
  override readonly name = 'MusterProblem';
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(messageOf(problem));
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
  }
}

/** A request without a valid answer from Muster. Muster may have processed the request. */
export class MusterUnavailable extends Error {
  override readonly name = 'MusterUnavailable';
  /** `unreachable`: there was no answer. `unexpected-answer`: another server answered, such as a proxy. */
  readonly code: 'unreachable' | 'unexpected-answer';
  /** HTTP status of the answer; undefined if there was no answer. */
  readonly status: number | undefined;

  constructor(code: MusterUnavailable['code'], message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status;
  }
}

/**
 * Creates the client for all operations of the API: `listCampaigns({ client, query: { limit: 20 } })`. The client
 * repeats a request that was refused temporarily (429, 503), or whose answer was lost if a repeat is idempotent: a POST
 * needs an `idempotency-key` for that.
 */
export function createMusterClient({ url, apiKey, retries = 5, fetch: send = fetch }: MusterOptions): ApiClient {
  const client = createApiClient({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${apiKey}` },
    throwOnError: true,
    fetch: createRetryingFetch({ send, retries }),
  });
  client.interceptors.error.use((error, response) => errorOf(error, url, response));
  return client;
}

/** Converts the error of a request. Errors of an abort, and of a caller's own `fetch`, stay unchanged. */
function errorOf(error: unknown, url: string, response: Response | undefined): unknown {
  if (isProblem(error)) return new MusterProblem(error);
  // `fetch` also throws a TypeError for a truncated answer.
  if (error instanceof TypeError) {
    return new MusterUnavailable('unreachable', `no answer from ${url}: ${reasonOf(error)}`, { cause: error });
  }
  if (response === undefined || error instanceof DOMException) return error;
  const { status } = response;
  return new MusterUnavailable('unexpected-answer', `${url} answered ${status}, but not as Muster does`, {
    status,
    cause: error,
  });
}

/** Returns the cause, as `fetch` only reports "fetch failed". A name with several addresses has one cause for each. */
function reasonOf({ message, cause }: Error): string {
  if (cause instanceof AggregateError) return cause.errors.map(String).join(', ');
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

const newKey = () => crypto.randomUUID();

/**
 * Schedules callbacks. A job without an `idempotencyKey` gets a generated one, so repeats store it only once. With a
 * key of your own, you can also find the job if your program has lost the answer.
 */
export function createMuster(options: MusterOptions) {
  const client = createMusterClient(options);
  const { retries = 5, fetch: send = fetch } = options;
  /** Options of requests about jobs. Jobs have idempotency keys of their own, so every such request may be repeated. */
  const known = { client, fetch: createRetryingFetch({ send, retries, isRepeatable: () => true }) };

  return {
    api: client,
    schedule: async (job: NewJobInput) =>
      (await createJob({ ...known, body: { ...job, idempotencyKey: job.idempotencyKey ?? newKey() } })).data,
    /** Schedules up to 5,000 jobs, with a result for each. */
    scheduleMany: async ({ jobs, ...others }: NewJobsInput) => {
      const keyed = jobs.map((job) => ({ ...job, idempotencyKey: job.idempotencyKey ?? newKey() }));
      return (await createJobs({ ...known, body: { ...others, jobs: keyed } })).data;
    },
    job: async (id: string) => (await getJob({ client, path: { id } })).data,
    /** Yields all matching jobs, page by page. */
    async *jobs(query: Omit<NonNullable<ListJobsData['query']>, 'cursor'> = {}): AsyncGenerator<JobSummary> {
      let cursor: string | null | undefined;
      do {
        const { data } = await listJobs({ client, query: { limit: 500, ...query, ...(cursor && { cursor }) } });
        yield* data.items;
        cursor = data.next;
      } while (cursor !== null);
    },
    /**
     * Finds jobs by up to 5,000 ids or keys, with a result for each. `cancelMany` and `resend` accept the same input.
     */
    findMany: async (named: ListedJobsInput) => (await findJobs({ ...known, body: named })).data,
    cancelMany: async (named: ListedJobsInput) => (await cancelJobs({ ...known, body: named })).data,
    /** Sends jobs again as new jobs; a repeat of the request sends nothing twice. */
    resend: async (named: JobsToResendInput) =>
      (await resendJobs({ client, headers: { 'idempotency-key': newKey() }, body: named })).data,
    cancel: async (id: string) => (await cancelJob({ ...known, path: { id } })).data,
    reschedule: async (id: string, due: NewDueInput) =>
      (await rescheduleJob({ ...known, path: { id }, body: due })).data,
    runNow: async (id: string) => (await runJobNow({ ...known, path: { id } })).data,
    /** Changes jobs. Not repeated if the answer is lost, because other jobs may match the request by then. */
    changeJobs: async (change: NewJobChangeInput) => (await changeJobs({ client, body: change })).data,
    jobChange: async (id: string) => (await getJobChange({ client, path: { id } })).data,
    client: async (id: string) => (await getClient({ client, path: { id } })).data,
    ledger: async (id: string) => (await getClientLedger({ client, path: { id } })).data,
    forecast: async (id: string, hours = 6) =>
      (await getClientForecast({ client, path: { id }, query: { hours } })).data,
  };
}

export type Muster = ReturnType<typeof createMuster>;

/** Returns the first error for logs; all errors are in `problem.errors`. */
function messageOf({ detail, errors }: Problem): string {
  const [first, ...others] = errors;
  if (!first) return detail;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `${detail}: ${first.pointer} ${first.detail}${more}`;
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'status' in error && 'errors' in error;
}
