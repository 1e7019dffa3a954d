import { readOwnTerms } from '../../../../shared/contracts/jobs/call-terms.ts';
import type { Pool } from 'pg';
import { z } from 'zod';
import { jobOutcomes, type JobState } from '../../../../shared/contracts/jobs/job-shapes.ts';
import { defaultEndpointName } from '../../../../shared/domain/job/job-ids.ts';
import type { Priority } from '../../../../shared/domain/priorities.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import {
  loadJobs,
  scanEnded,
  scanEndedOfKey,
  scanFires,
  scanJobs,
  scanKey,
  scanReporting,
  scanSidelined,
  scanWaiting,
  type WaitingPlace,
} from './job-statements.ts';
import type { JobRecord } from './job-rows.ts';

/** Number of jobs that one page reads from each partition if most of them match. */
const rowsOfPartition = { least: 8, most: 64 };
/** Number of jobs that one page reads from each partition if most of them may not match. */
const rowsOfPartitionFiltered = 256;
const endedRows = 1000;

const nil = '00000000-0000-0000-0000-000000000000';
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Beginning of the year 9999, in microseconds since 1970. */
const farUs = '253370764800000000';

/** Microseconds as text. Postgres stores times in microseconds. */
const us = z.string().regex(/^-?\d{1,18}$/);
const hostPlace = z.tuple([z.string(), z.guid()]);
const keyPlace = z.tuple([z.string(), us, us, z.int(), z.guid()]);

const place = z.tuple([us, z.guid()]);
const firstWaiting: z.output<typeof keyPlace> = ['', '0', '0', -1, nil];

type Place = z.output<typeof place>;

export interface JobFilter {
  clientIds?: readonly string[] | undefined;
  /**
   * State of the jobs; undefined means jobs that have not ended. Ended, waiting and sidelined jobs require exactly one
   * client.
   */
  state?: JobState | undefined;
  tag?: string | undefined;
  endpoint?: string | undefined;
  /** Ordering key of the jobs. It requires exactly one client. */
  orderingKey?: string | undefined;
  priority?: Priority | undefined;
  /** Earliest due time, inclusive. For ended jobs, the scheduled time is compared. */
  dueFrom?: Date | undefined;
  /** Latest due time, exclusive. */
  dueUntil?: Date | undefined;
}

/**
 * Lists jobs that have not ended by due time, and ended jobs newest first. One page reads a bounded number of jobs. It
 * may therefore have fewer matches than the limit, or none, without being the last page.
 */
export function createJobLists({ pool }: { pool: Pool }) {
  return async (filter: JobFilter, limit: number, cursor: string | null): Promise<Page<JobRecord>> => {
    const { state, orderingKey } = filter;
    const hasEnded = state !== undefined && outcomes.has(state);
    if (orderingKey !== undefined && !hasEnded) return await listOfKey(pool, filter, limit, cursor);
    switch (state) {
      case 'sidelined':
        return await listSidelined(pool, filter, limit, cursor);
      case 'reporting':
        return await listReporting(pool, filter, limit, cursor);
      case 'waiting':
        return await listWaiting(pool, filter, limit, cursor);
      case 'called':
      case 'expired':
      case 'cancelled':
      case 'dead':
        return await listEnded(pool, filter, limit, cursor);
      case 'pending':
      case 'firing':
      case undefined:
        return await listStored(pool, filter, limit, cursor);
    }
  };
}

const outcomes: ReadonlySet<JobState> = new Set(jobOutcomes);

interface Scanned {
  us: string;
  id: string;
  fits: boolean;
  /** True for the last row that was read from its partition, which may have more rows. */
  isLast: boolean;
}

async function listStored(
  pool: Pool,
  filter: JobFilter,
  limit: number,
  cursor: string | null,
): Promise<Page<JobRecord>> {
  const { clientIds, tag = null, endpoint = null, priority = null, dueFrom, dueUntil, state } = filter;
  const from: Place = cursor === null ? [usBefore(dueFrom), last] : readCursor(place, cursor);
  const clients = clientIds ? plainArray(clientIds) : null;
  const isFiltered = clients !== null || tag !== null || endpoint !== null || priority !== null;
  const share = Math.min(rowsOfPartition.most, Math.max(rowsOfPartition.least, Math.ceil(limit / 16)));
  const rows = isFiltered ? rowsOfPartitionFiltered : share;
  const range = { fromUs: from[0], fromId: from[1], untilUs: dueUntil ? usOf(dueUntil) : farUs, rows };
  const wanted = { clients, tag, endpoint, priority };
  const scan = state === 'firing' ? scanFires.with(range) : scanJobs.with({ ...range, ...wanted });
  const found = (await pool.query<Scanned>(scan)).rows.sort(byPlace);

  // The list is complete up to the first position at which the reading of a partition stopped.
  const edge = found.find(({ isLast }) => isLast);
  const known = edge ? found.filter((each) => byPlace(each, edge) <= 0) : found;
  const fitting = known.filter(({ fits }) => fits);
  const taken = fitting.slice(0, limit);
  const end = fitting.length > limit ? taken.at(-1) : edge;
  const items = (await load(pool, taken)).filter((job) => fits(job, filter));
  return { items, next: end ? writeCursor([end.us, end.id]) : null };
}

async function load(pool: Pool, taken: readonly Scanned[]): Promise<JobRecord[]> {
  if (taken.length === 0) return [];
  const { rows } = await pool.query<JobRecord>(loadJobs.with({ ids: plainArray(taken.map(({ id }) => id)) }));
  const byId = new Map(rows.map((job) => [job.jobId, job]));
  return taken.flatMap(({ id }) => byId.get(id) ?? []);
}

function byPlace(a: Scanned, b: Scanned): number {
  if (a.us !== b.us) return BigInt(a.us) < BigInt(b.us) ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

async function listSidelined(pool: Pool, filter: JobFilter, limit: number, cursor: string | null) {
  const [host, fromId] = cursor === null ? ['', nil] : readCursor(hostPlace, cursor);
  const params = { client: filter.clientIds?.[0] ?? nil, host, fromId, rows: limit + 1 };
  const { rows: found } = await pool.query<JobRecord>(scanSidelined.with(params));
  const items = found.slice(0, limit);
  const end = found.length > limit ? items.at(-1) : undefined;
  return {
    items: items.filter((job) => fits(job, filter)),
    next: end ? writeCursor([end.sideline ?? '', end.jobId]) : null,
  };
}

async function listReporting(pool: Pool, filter: JobFilter, limit: number, cursor: string | null) {
  const [fromUs, fromId] = cursor === null ? ['-1', last] : readCursor(place, cursor);
  const params = { client: filter.clientIds?.[0] ?? nil, fromUs, fromId, rows: limit + 1 };
  const { rows } = await pool.query<JobRecord & { us: string }>(scanReporting.with(params));
  const taken = rows.slice(0, limit);
  const end = rows.length > limit ? taken.at(-1) : undefined;
  const items = taken.map(({ us: _, ...job }) => job).filter((job) => fits(job, filter));
  return { items, next: end ? writeCursor([end.us, end.jobId]) : null };
}

/**
 * Lists the jobs with an ordering key that have not ended, in the order in which they will be called. The current job
 * is included.
 */
async function listOfKey(pool: Pool, filter: JobFilter, limit: number, cursor: string | null) {
  const [, readyUs, acceptedUs, nth, id] = cursor === null ? firstWaiting : readCursor(keyPlace, cursor);
  const ownerParams = { client: filter.clientIds?.[0] ?? nil, key: filter.orderingKey ?? '' };
  const scan = scanKey.with({ ...ownerParams, readyUs, acceptedUs, nth, id, rows: limit + 1 });
  return pageInTurn((await pool.query<JobInTurn>(scan)).rows, filter, limit);
}

/** Lists waiting jobs by ordering key, and for each key in the order in which they will be called. */
async function listWaiting(pool: Pool, filter: JobFilter, limit: number, cursor: string | null) {
  const [key, readyUs, acceptedUs, nth, id] = cursor === null ? firstWaiting : readCursor(keyPlace, cursor);
  const params = { client: filter.clientIds?.[0] ?? nil, key, readyUs, acceptedUs, nth, id, rows: limit + 1 };
  return pageInTurn((await pool.query<JobInTurn>(scanWaiting.with(params))).rows, filter, limit);
}

type JobInTurn = JobRecord & Omit<WaitingPlace, 'key' | 'id'>;

/**
 * Returns a page.
 * @param found one job more than the limit if there is a next page
 */
function pageInTurn(found: readonly JobInTurn[], filter: JobFilter, limit: number): Page<JobRecord> {
  const taken = found.slice(0, limit);
  const end = found.length > limit ? taken.at(-1) : undefined;
  const items = taken.map(({ readyUs: _ready, acceptedUs: _accepted, nth: _nth, ...job }) => job);
  return { items: items.filter((job) => fits(job, filter)), next: end ? writeCursor(placeOf(end)) : null };
}

const placeOf = ({ orderingKey, readyUs, acceptedUs, nth, jobId }: JobInTurn) => [
  ...[orderingKey ?? '', readyUs, acceptedUs, nth, jobId],
];

async function listEnded(pool: Pool, filter: JobFilter, limit: number, cursor: string | null) {
  const [beforeUs, beforeId] = cursor === null ? [null, nil] : readCursor(place, cursor);
  const { clientIds, orderingKey: key } = filter;
  const params = { client: clientIds?.[0] ?? nil, beforeUs, beforeId, rows: endedRows };
  const scan = key === undefined ? scanEnded.with(params) : scanEndedOfKey.with({ ...params, key });
  const { rows } = await pool.query<JobRecord & { us: string }>(scan);
  const found = rows.map(({ us, ...job }) => ({ us, job }));
  const fitting = found.filter(({ job }) => job.state === filter.state && fits(job, filter));
  const taken = fitting.slice(0, limit);
  const isCut = fitting.length > limit;
  const end = isCut ? taken.at(-1) : found.length === endedRows ? found.at(-1) : undefined;
  return { items: taken.map(({ job }) => job), next: end ? writeCursor([end.us, end.job.jobId]) : null };
}

function fits(
  job: JobRecord,
  { clientIds, state, tag, endpoint, orderingKey, priority, dueFrom, dueUntil }: JobFilter,
): boolean {
  const at = job.dueAt ?? job.scheduledFor;
  if (orderingKey !== undefined && job.orderingKey !== orderingKey) return false;
  if (clientIds && !clientIds.includes(job.clientId)) return false;
  if (state !== undefined && job.state !== state) return false;
  if (tag !== undefined && !job.tags.includes(tag)) return false;
  if (endpoint !== undefined && (readOwnTerms(job.terms).endpointName ?? defaultEndpointName) !== endpoint)
    return false;
  if (priority !== undefined && (readOwnTerms(job.terms).priority ?? 'normal') !== priority) return false;
  return (dueFrom === undefined || at >= dueFrom) && (dueUntil === undefined || at < dueUntil);
}

function usOf(at: Date): string {
  return String(at.getTime() * 1000);
}

/** Returns the position immediately before a time. A position is a time and an id. */
function usBefore(at: Date | undefined): string {
  return at ? String(at.getTime() * 1000 - 1) : '-1';
}

function writeCursor(value: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readCursor<Shape extends z.ZodType>(shape: Shape, cursor: string): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (error) {
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of this list`, { cause: error });
  }
}
