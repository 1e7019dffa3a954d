export interface RetryingFetchOptions {
  send: typeof fetch;
  /** Maximum repeats of a request. */
  retries: number;
  /** Returns whether a request may be repeated although it may have been processed. */
  isRepeatable?: (request: Request) => boolean;
}

const longestWaitMs = 30_000;
const usualWaitMs = 500;

/** Statuses of requests that had no effect. */
const temporaryStatuses: ReadonlySet<number> = new Set([429, 503]);
/** Statuses from a server in front of Muster; Muster may have processed the request. */
const gatewayErrorStatuses: ReadonlySet<number> = new Set([502, 504]);

/** Repeats requests refused temporarily, and repeatable ones whose answer was lost. Streams are sent once. */
export function createRetryingFetch({
  send,
  retries,
  isRepeatable = changesNothingTwice,
}: RetryingFetchOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (!isKept(request)) return await send(request);
    for (let left = retries; ; left--) {
      try {
        const response = await send(request.clone());
        const isWorthATry =
          temporaryStatuses.has(response.status) ||
          (gatewayErrorStatuses.has(response.status) && isRepeatable(request));
        if (left === 0 || !isWorthATry) return response;
        await response.body?.cancel();
        await wait(retryAfterMs(response), request.signal);
      } catch (error) {
        if (left === 0 || request.signal.aborted || !isRepeatable(request)) throw error;
        await wait(usualWaitMs, request.signal);
      }
    }
  };
}

function changesNothingTwice({ method, headers }: Request): boolean {
  return method !== 'POST' || headers.has('idempotency-key');
}

/** Returns true if the body can be sent again. Files are not buffered in memory, so they are sent only once. */
function isKept({ body, headers }: Request): boolean {
  return body === null || headers.get('content-type')?.startsWith('application/json') === true;
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(seconds) ? usualWaitMs : Math.min(longestWaitMs, seconds * 1000);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    });
  });
}
