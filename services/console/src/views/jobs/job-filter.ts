import type { ListJobsData } from '#client/types.gen.ts';
import type { JobsSearch } from './search.ts';

export type JobQuery = NonNullable<ListJobsData['query']>;

const hourMs = 3_600_000;

const spans: Readonly<Record<NonNullable<JobsSearch['due']>, readonly [fromHours: number | null, untilHours: number]>> =
  {
    'until now': [null, 0],
    'next hour': [0, 1],
    'next day': [0, 24],
    'next week': [0, 168],
    'last hour': [-1, 0],
    'last day': [-24, 0],
    'last week': [-168, 0],
  };

/**
 * Returns the filter of a list, and of a change of all matching jobs. @param nowMs fixed, so that pages do not move
 * with the clock
 */
export function createJobFilter({ client, tag, endpoint, key, priority, due }: JobsSearch, nowMs: number) {
  const [fromHours, untilHours] = due === undefined ? [null, null] : spans[due];
  const at = (hours: number) => new Date(nowMs + hours * hourMs).toISOString();
  return {
    ...(client !== undefined && { client }),
    ...(tag !== undefined && { tag }),
    ...(endpoint !== undefined && { endpoint }),
    ...(key !== undefined && { orderingKey: key }),
    ...(priority !== undefined && { priority }),
    ...(fromHours !== null && { dueFrom: at(fromHours) }),
    ...(untilHours !== null && { dueUntil: at(untilHours) }),
  };
}

/** States that the API lists only for one client. */
const ofOneClient: ReadonlySet<JobsSearch['state']> = new Set([
  'waiting',
  'reporting',
  'sidelined',
  'called',
  'expired',
  'cancelled',
  'dead',
]);

export function needsClient({ state, client, key }: JobsSearch): boolean {
  return client === undefined && (key !== undefined || ofOneClient.has(state));
}

export function hasFilters({ client, tag, endpoint, key, priority, due, name }: JobsSearch): boolean {
  return [client, tag, endpoint, key, priority, due, name].some((each) => each !== undefined);
}

/** Describes the filters: `Pending, client shop, tag order-17, due in the next hour.` */
export function describeFilters({ state, client, tag, endpoint, key, priority, due, name }: JobsSearch): string {
  const words = [
    state ?? 'not ended',
    client === undefined ? '' : `client ${client}`,
    tag === undefined ? '' : `tag ${tag}`,
    endpoint === undefined ? '' : `endpoint ${endpoint}`,
    key === undefined ? '' : `ordering key ${key}`,
    priority === undefined ? '' : `${priority} priority`,
    due === undefined ? '' : `due ${due}`,
    name === undefined ? '' : `id or key “${name}”`,
  ].filter((each) => each !== '');
  const text = words.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
