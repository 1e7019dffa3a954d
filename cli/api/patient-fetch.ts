import type { Clock } from '../../shared/ports/clock.ts';
import { ApiRefusal, ApiUnavailable, problem } from './failures.ts';

export interface Patience {
  clock: Clock;
  signal?: AbortSignal;
  /** Receives one line when the first wait begins. */
  onWait: (what: string) => void;
}

export interface PatientFetchDeps {
  /** Base URL without a trailing slash. */
  baseUrl: string;
  send: typeof fetch;
  /** Makes requests wait while the API answers 503, and shows the wait. */
  patience?: Patience | undefined;
}

const timeoutMs = 30_000;

/** Maximum wait in milliseconds, enough for a restart of the API or its database. */
export const patienceMs = 60_000;

const usualRetryMs = 2000;

/**
 * Creates a `fetch` that returns successful answers only.
 * @throws {ApiRefusal} if the API refuses the request
 * @throws {ApiUnavailable} if there is no answer, or not from the API
 */
export function createPatientFetch({ baseUrl, send, patience }: PatientFetchDeps): typeof fetch {
  async function attempt(request: Request) {
    // Streams have no timeout.
    const limit = isStream(request) ? {} : { signal: AbortSignal.timeout(timeoutMs) };
    try {
      return await send(isSentOnce(request) ? request : request.clone(), limit);
    } catch (error) {
      throw new ApiUnavailable(`nobody answers at ${baseUrl}: ${causeOf(error, baseUrl)}`, { cause: error });
    }
  }

  return async (input, init) => {
    const request = new Request(input, init);
    const beganMs = patience?.clock.monotonicMs() ?? 0;
    for (let isFirst = true; ; isFirst = false) {
      const response = await attempt(request);
      if (response.ok) return checked(response, request, baseUrl);
      const failure = await failureOf(response, request, baseUrl);
      const isPatient = patience && !patience.signal?.aborted && patience.clock.monotonicMs() - beganMs < patienceMs;
      if (response.status !== 503 || !isPatient || isSentOnce(request)) throw failure;
      if (isFirst) patience.onWait(`${failure.message}; trying again`);
      await patience.clock.sleep(retryAfterMs(response), patience.signal);
    }
  };
}

/** Returns true if the body is a file, which is a stream and can be read only once. */
function isSentOnce({ body, headers }: Request): boolean {
  return body !== null && headers.get('content-type') !== 'application/json';
}

function isStream(request: Request): boolean {
  return isSentOnce(request) || request.headers.get('accept') !== 'application/json';
}

function checked(response: Response, request: Request, baseUrl: string): Response {
  const type = response.headers.get('content-type') ?? '';
  if (isStream(request) || response.status === 204 || type.includes('json')) return response;
  throw new ApiUnavailable(`${baseUrl}${pathOf(request)} does not answer as Muster does: that is no JSON`);
}

async function failureOf(response: Response, request: Request, baseUrl: string): Promise<Error> {
  const text = await response.text().catch(() => '');
  const refused = problem.safeParse(parseJson(text));
  // 429 is a temporary answer, so it does not count as a refusal.
  if (refused.success && response.status < 500 && response.status !== 429) return new ApiRefusal(refused.data);
  const requestLine = `${request.method} ${pathOf(request)}`;
  if (!refused.success && response.status < 500) {
    const answered = `${baseUrl} answers, but not as Muster does (${response.status} to ${requestLine})`;
    return new ApiUnavailable(`${answered}: is MUSTER_API_URL right?`);
  }
  const why = refused.data?.detail ?? refused.data?.title ?? text.slice(0, 200);
  const requestId = refused.data?.requestId ?? response.headers.get('x-request-id');
  const known = requestId === null ? '' : ` (request ${requestId})`;
  return new ApiUnavailable(
    `${request.method} ${baseUrl}${pathOf(request)}: ${response.status} ${why}${known}`.trimEnd(),
  );
}

function pathOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, patienceMs) : usualRetryMs;
}

/** Returns undefined if the text is not JSON. No JSON text parses to undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the cause of "fetch failed", which contains the reason. */
function causeOf(error: unknown, baseUrl: string): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && error.cause.message !== '' ? error.cause : error;
  if (baseUrl.startsWith('https:') && /wrong version number|packet length too long/.test(cause.message)) {
    return `it speaks no TLS; did you mean ${baseUrl.replace('https:', 'http:')}?`;
  }
  return cause.message;
}
