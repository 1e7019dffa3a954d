import { z } from 'zod';
import type { EngineConfig } from '../contracts/endpoints/engine-config.ts';
import { largestPage, segmentDescription, segmentPage, userPage } from '../contracts/endpoints/segmentation.ts';
import { cleanDetail } from '../domain/step/reasons.ts';
import type {
  ReceivedPage,
  SegmentList,
  Segmentation,
  SegmentationAnswer,
  SegmentationFailure,
} from '../ports/segmentation.ts';
import { authorizationOf } from '../runtime/configuration/engine-config-file.ts';
import { createGuardedOrigin, type Egress } from './guarded-origin.ts';
import type { HttpOrigin, HttpOutcome } from './http-dispatch.ts';
import { readPlainPage } from './plain-page.ts';
import { retryAfterMs } from './retry-after.ts';

export interface SegmentationDeps {
  config: EngineConfig;
  environment: NodeJS.ProcessEnv;
  egress: Egress;
  /** Connections by purpose, as many as concurrent requests: waiting for one counts towards the time-out. */
  connections: {
    pages: number;
    /** Connections for descriptions, separate from pages: a slow description of a segment must not delay feeds. */
    descriptions: number;
  };
  onSentAgain?: (() => void) | undefined;
}

interface Reading<Value> {
  kindOf?: typeof kindOfStatus;
  /** Reads the usual form of an answer without parsing it; null if the parser has to read the answer. */
  quickly?: (body: Buffer) => Value | null;
}

const minAnswerBytes = 4 * 1024 * 1024;
/** Upper bound on a user's bytes in an answer: an id of 256 bytes may consist of JSON escapes only. */
const maxBytesPerUser = 1024;

/** @throws {ConfigurationError} if a secret that the configuration names is not in the environment */
export function createSegmentation({
  config: { segmentation },
  environment,
  egress,
  connections,
  onSentAgain,
}: SegmentationDeps): Segmentation & SegmentList & { close(): Promise<void> } {
  const base = new URL(segmentation.url);
  const authorization = authorizationOf(segmentation, environment);
  const headers = [
    ...['accept', 'application/json', 'accept-encoding', 'identity'],
    ...(authorization === undefined ? [] : ['authorization', authorization]),
  ];
  const { timeoutMs } = segmentation;
  const terms = { egress, caller: 'segmentation', origin: base.origin, timeoutMs, onSentAgain };
  const pages = createGuardedOrigin({
    ...terms,
    connections: connections.pages,
    maxAnswerBytes: Math.max(segmentation.pageSize, largestPage) * maxBytesPerUser,
  });
  const descriptions = createGuardedOrigin({
    ...terms,
    connections: connections.descriptions,
    maxAnswerBytes: minAnswerBytes,
  });

  async function get<Value>(
    origin: HttpOrigin,
    path: readonly string[],
    query: Readonly<Record<string, string>>,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
    { kindOf = kindOfStatus, quickly }: Reading<Value> = {},
  ): Promise<SegmentationAnswer<Value>> {
    const target = targetOf(base, path, query);
    if (target === null) return failure('refused', 'an id with a lone surrogate cannot be requested');
    const outcome = await unlessAborted(origin.send({ method: 'GET', path: target, headers: [...headers] }), signal);
    return answerOf(outcome, shape, kindOf, quickly);
  }

  return {
    describe: (segment, country, signal) =>
      get(descriptions, ['segments', segment], { country }, segmentDescription, signal),
    page: ({ segment, country, snapshot, after, limit }, signal) => {
      const query = { country, snapshot, ...(after === null ? {} : { after }), limit: String(limit) };
      return get<ReceivedPage>(pages, ['segments', segment, 'users'], query, userPage, signal, {
        quickly: readPlainPage,
      });
    },
    list: async ({ country, search, after, limit }, signal) => {
      const query = {
        ...(country === undefined ? {} : { country }),
        ...(search === undefined ? {} : { search }),
        ...(after === null ? {} : { after }),
        limit: String(limit),
      };
      return get(descriptions, ['segments'], query, segmentPage, signal, { kindOf: kindOfListStatus });
    },
    close: async () => {
      await Promise.all([pages.close(), descriptions.close()]);
    },
  };
}

/** Returns path and query, percent-encoded. Null if a part cannot be encoded. */
function targetOf(base: URL, path: readonly string[], query: Readonly<Record<string, string>>): string | null {
  const parts = [...path, ...Object.values(query)];
  if (!parts.every((part) => part.isWellFormed())) return null;
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${base.pathname.replace(/\/$/, '')}/v1/${path.map(encodePathPart).join('/')}?${pairs.join('&')}`;
}

/** Encodes a part of the path. A part of dots alone would be resolved as a relative path, and lead to another page. */
function encodePathPart(part: string): string {
  return part === '.' || part === '..' ? part.replaceAll('.', '%2E') : encodeURIComponent(part);
}

/** Resolves as `sent`, or at the abort: a read changes nothing, so the caller need not wait for the answer. */
function unlessAborted(sent: Promise<HttpOutcome>, signal: AbortSignal): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const abort = () => resolve({ kind: 'ambiguous', cause: 'stopped before the answer came' });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void sent.then((outcome) => {
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    });
  });
}

function answerOf<Value>(
  outcome: HttpOutcome,
  shape: z.ZodType<Value>,
  kindOf: typeof kindOfStatus,
  quickly?: (body: Buffer) => Value | null,
): SegmentationAnswer<Value> {
  if (outcome.kind !== 'answered') return failure('unavailable', outcome.cause);
  const { status, body } = outcome;
  if (status !== 200)
    return failure(kindOf(status), causeOf(status, body), retryAfterMs(outcome.retryAfter, new Date()));
  const quick = quickly?.(body) ?? null;
  if (quick !== null) return { ok: true, value: quick };
  const parsed = shape.safeParse(parseJson(body.toString('utf8')));
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  return failure(
    'unavailable',
    `the answer is not what was agreed: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

const refusal = z.object({ message: z.string() });

/** Returns the status with the body's `message`, if it has one: only the service knows which field is wrong. */
function causeOf(status: number, body: Buffer): string {
  const { data } = refusal.safeParse(parseJson(body.toString('utf8')));
  const message = data ? cleanDetail(data.message) : '';
  return message === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`;
}

/** Returns the kind of a failure. Redirects are not followed, because their targets are not configured. */
function kindOfStatus(status: number): SegmentationFailure['kind'] {
  if (status === 404) return 'not-found';
  if (status === 410) return 'gone';
  const mayHelpLater = status === 408 || status === 425 || status === 429 || status >= 500;
  return mayHelpLater ? 'unavailable' : 'refused';
}

/** Returns the kind of failure. 501 means that the service has no list of segments, which is optional. */
function kindOfListStatus(status: number): SegmentationFailure['kind'] {
  return status === 501 ? 'not-found' : kindOfStatus(status);
}

function failure(
  kind: SegmentationFailure['kind'],
  cause: string,
  waitMs: number | null = null,
): { ok: false; failure: SegmentationFailure } {
  return { ok: false, failure: { kind, cause, retryAfterMs: waitMs } };
}

/** Returns undefined, which fits no shape, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
