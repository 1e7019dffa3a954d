import type { Clock } from '../../shared/ports/clock.ts';
import { ApiRefusal, ApiUnavailable, problem } from './api-answers.ts';

export interface ExchangeDeps {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  /** Where it is given, an API that says 503 is waited for, and the wait is shown. */
  patience?: Patience | undefined;
}

export interface Patience {
  clock: Clock;
  signal?: AbortSignal;
  /** One line, the first time that something has to be waited for. */
  onWait: (what: string) => void;
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** Sent as it comes, instead of a body. It can be sent once. */
  file?: { content: ReadableStream; type: string; encoding?: string };
  /** What a repeat of this request is known by. */
  idempotencyKey?: string;
  /** The ETag that what is changed has to have still. */
  ifMatch?: string;
  accept?: string;
}

const timeoutMs = 30_000;

/** An API that restarts, or whose database does, is waited for; one that stays away is an error. */
export const patienceMs = 60_000;

const usualRetryMs = 2000;

export type Exchange = (request: ApiRequest) => Promise<Response>;

/**
 * One request and its good answer.
 * @throws {ApiRefusal} the API said no
 * @throws {ApiUnavailable} no answer came, or not one of the API
 */
export function createExchange({ baseUrl, apiKey, fetch, patience }: ExchangeDeps): Exchange {
  async function send(request: ApiRequest) {
    const { method, path, body, file, idempotencyKey, ifMatch, accept = 'application/json' } = request;
    const isStream = accept !== 'application/json' || file !== undefined;
    try {
      return await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(file === undefined ? {} : { 'content-type': file.type }),
          ...(file?.encoding === undefined ? {} : { 'content-encoding': file.encoding }),
        },
        // A stream takes as long as it takes.
        ...(isStream ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(file === undefined ? {} : { body: file.content, duplex: 'half' as const }),
      });
    } catch (error) {
      throw new ApiUnavailable(`nobody answers at ${baseUrl}: ${causeOf(error, baseUrl)}`, { cause: error });
    }
  }

  return async (request) => {
    const beganMs = patience?.clock.monotonicMs() ?? 0;
    for (let isFirst = true; ; isFirst = false) {
      const response = await send(request);
      if (response.ok) return response;
      const failure = await failureOf(response, request, baseUrl);
      const isPatient = patience && !patience.signal?.aborted && patience.clock.monotonicMs() - beganMs < patienceMs;
      if (response.status !== 503 || !isPatient || request.file !== undefined) throw failure;
      if (isFirst) patience.onWait(`${failure.message}; trying again`);
      await patience.clock.sleep(retryAfterMs(response), patience.signal);
    }
  };
}

async function failureOf(response: Response, { method, path }: ApiRequest, baseUrl: string): Promise<Error> {
  const text = await response.text().catch(() => '');
  const refused = problem.safeParse(parseJson(text));
  // 429 is about when, not about what.
  if (refused.success && response.status < 500 && response.status !== 429) return new ApiRefusal(refused.data);
  if (!refused.success && response.status < 500) {
    const told = `${baseUrl} answers, but not as Muster does (${response.status} to ${method} ${path})`;
    return new ApiUnavailable(`${told}: is MUSTER_API_URL right?`);
  }
  const told = refused.data?.detail ?? refused.data?.title ?? text.slice(0, 200);
  const requestId = refused.data?.requestId ?? response.headers.get('x-request-id');
  const asked = requestId === null ? '' : ` (request ${requestId})`;
  return new ApiUnavailable(`${method} ${baseUrl}${path}: ${response.status} ${told}${asked}`.trimEnd());
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, patienceMs) : usualRetryMs;
}

/** Undefined when it is no JSON, which no answer of the API is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** fetch says "fetch failed" and hides why one level down. */
function causeOf(error: unknown, baseUrl: string): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && error.cause.message !== '' ? error.cause : error;
  if (baseUrl.startsWith('https:') && /wrong version number|packet length too long/.test(cause.message)) {
    return `it speaks no TLS; did you mean ${baseUrl.replace('https:', 'http:')}?`;
  }
  return cause.message;
}
