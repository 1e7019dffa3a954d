import { z } from 'zod';
import { endpointName, type CallerTrace } from '../../../../shared/contracts/jobs/call-terms.ts';
import { jobKeyPattern } from '../../../../shared/contracts/jobs/job-keys.ts';
import { jobLimits, jobMethods, jobTagPattern, type NewJob } from '../../../../shared/contracts/jobs/jobs.ts';
import { plainHttpUri } from '../../../../shared/contracts/uris.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';

/** A parsed job, with its body as the text that is stored and sent. */
export interface RequestedJob extends Omit<NewJob, 'body'> {
  body: { text: string; isJson: boolean } | null;
  trace?: CallerTrace | undefined;
}

/** Fields that only the full shape validates, because few jobs have them. */
type LeftFields =
  | ('headers' | 'body' | 'localTime' | 'zone' | 'jitterSeconds' | 'orderingKey' | 'ordering' | 'priority')
  | ('retry' | 'timeoutMs' | 'finalCodes' | 'reportWithinSeconds' | 'template');
type PlainFields = Partial<Omit<NewJob, LeftFields>> & { body?: string | object };

type Checks = { [Field in keyof PlainFields]-?: (value: unknown) => value is NonNullable<PlainFields[Field]> };

const methods = new Set<unknown>(jobMethods);
const instantPattern = z.core.regexes.datetime({ offset: true });

/** Checks that accept the common values of each field. The full shape decides about all other values. */
const isPlain: Checks = {
  client: (value): value is string => isText(value) && value !== '' && value.length <= jobLimits.clientLength,
  url: (value): value is string => isText(value) && isPlainUrl(value),
  endpoint: (value): value is string => isText(value) && endpointName.safeParse(value).success,
  method: (value): value is NewJob['method'] => methods.has(value),
  dueAt: (value): value is string => isText(value) && instantPattern.test(value),
  delaySeconds: (value) => isWithin(value, 0, jobLimits.delaySeconds),
  body: (value): value is string | object => isText(value) || (typeof value === 'object' && value !== null),
  idempotencyKey: (value): value is string => isText(value) && jobKeyPattern.test(value),
  relevancySeconds: (value): value is number =>
    isWithin(value, 1, jobLimits.relevancySeconds) && Number.isInteger(value),
  tags: (value): value is string[] => Array.isArray(value) && value.length <= jobLimits.tags && value.every(isTag),
};
const checks = new Map<string, (value: unknown) => boolean>(Object.entries(isPlain));

/**
 * Parses common jobs with the same result as the shape `newJob`, in 0.6 µs instead of 4.0 µs; in bulk, the shape takes
 * a third of the cost of a job. Returns undefined for an uncommon or invalid job, which the caller then validates with
 * the shape. A property test checks that both agree.
 * @param client client of a job that states none
 */
export function readPlainJob(value: unknown, client: string | undefined): RequestedJob | undefined {
  if (!hasPlainFields(value)) return undefined;
  const { client: named = client, url, endpoint, method = 'POST', dueAt, delaySeconds } = value;
  const { idempotencyKey, relevancySeconds, tags } = value;
  if (named === undefined || (url === undefined && endpoint === undefined)) return undefined;
  if (value.client === undefined && !isPlain.client(named)) return undefined;
  if (dueAt !== undefined && delaySeconds !== undefined) return undefined;
  const body = value.body === undefined ? null : bodyOf(value.body);
  if (body === undefined) return undefined;
  return { client: named, url, endpoint, method, dueAt, delaySeconds, idempotencyKey, relevancySeconds, tags, body };
}

function hasPlainFields(value: unknown): value is PlainFields {
  if (!isFields(value)) return false;
  for (const name in value) if (checks.get(name)?.(value[name]) !== true) return false;
  return true;
}

/**
 * Returns a body in its stored form; undefined if it cannot be stored or is too long. An object was parsed from JSON,
 * so it can be converted back to JSON.
 */
function bodyOf(body: string | object): RequestedJob['body'] | undefined {
  const isJson = typeof body !== 'string';
  const text = isJson ? JSON.stringify(body) : body;
  return isStorable(text) && isWithinBytes(text, jobLimits.bodyBytes) ? { text, isJson } : undefined;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && jobTagPattern.test(value);
}

function isWithinBytes(text: string, most: number): boolean {
  return text.length * 3 <= most || Buffer.byteLength(text) <= most;
}

const maxOrigins = 1000;
const origins = new Map<string, boolean>();

function isPlainUrl(url: string): boolean {
  if (url.length > jobLimits.urlLength) return false;
  const [, origin] = plainHttpUri.exec(url) ?? [];
  return origin !== undefined && isOrigin(origin);
}

function isOrigin(origin: string): boolean {
  const known = origins.get(origin);
  if (known !== undefined) return known;
  if (origins.size >= maxOrigins) origins.clear();
  const isGood = URL.canParse(origin);
  origins.set(origin, isGood);
  return isGood;
}
