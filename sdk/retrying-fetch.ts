export interface RetryingFetchOptions {
  send: typeof fetch;
  /** How often a request is sent again. */
  retries: number;
  /** Whether a request may be sent again that was carried out, perhaps. */
  isRepeatable?: (request: Request) => boolean;
}

const longestWaitMs = 30_000;
const usualWaitMs = 500;

/** Refused before anything was done. */
const refusedForNow: ReadonlySet<number> = new Set([429, 503]);
/** Said by something between us and Muster, which may have carried it out. */
const lostOnTheWay: ReadonlySet<number> = new Set([502, 504]);

/**
 * Sends again what was refused for now, and what may be repeated when its answer was lost. What is sent as a stream is
 * sent once.
 */
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
          refusedForNow.has(response.status) || (lostOnTheWay.has(response.status) && isRepeatable(request));
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

/** A file is not held in memory for the case that it is sent again. */
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
