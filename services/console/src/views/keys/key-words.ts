import type { ApiKey, ApiKeyPatchInput, NewApiKeyInput } from '#client/types.gen.ts';
import type { IconName } from '../../parts/icon/icon.tsx';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { soonDays } from './search.ts';

export const roleDescriptions = {
  viewer: 'reads everything in its scope except bodies and responses of jobs',
  scheduler: 'manages jobs and schedules of its clients',
  manager: 'manages campaigns in its countries and action types',
  approver: 'approves campaigns of other people in its countries and action types',
  operator: 'manages everything in its scope, including keys',
} as const satisfies Record<ApiKey['role'], string>;

/** Describes a scope: `client orders · SG, ID`. A scope without limits is everything. */
export function describeScope({ clients, countries, actionTypes, users }: ApiKey['scope']): string {
  const parts = [
    ...formatNames('client', 'clients', clients),
    ...formatNames('country', 'countries', countries),
    ...formatNames('action', 'actions', actionTypes),
    ...(users ? ['users of all campaigns in scope'] : []),
  ];
  return parts.length === 0 ? 'everything' : parts.join(' · ');
}

/** Describes limits: `200 jobs/s · 500,000 stored`; null if the key has none of its own. */
export function describeBounds({ jobsPerSecond, storedJobs, requestsPerMinute }: ApiKey['bounds']): string | null {
  const parts = [
    ...(jobsPerSecond === null ? [] : [`${formatCount(jobsPerSecond)} jobs/s`]),
    ...(storedJobs === null ? [] : [`${formatCount(storedJobs)} stored`]),
    ...(requestsPerMinute === null ? [] : [`${formatCount(requestsPerMinute)} requests/min`]),
  ];
  return parts.length === 0 ? null : parts.join(' · ');
}

function formatNames(one: string, many: string, names: readonly string[] | null): string[] {
  if (names === null) return [];
  if (names.length === 0) return [`no ${many}`];
  return [`${names.length === 1 ? one : many} ${names.join(', ')}`];
}

const dayMs = 86_400_000;

interface KeyStanding {
  words: string;
  tone: 'ok' | 'warn' | 'bad' | 'quiet';
  icon: IconName;
}

export function findStanding(key: ApiKey, nowMs: number): KeyStanding {
  if (key.state === 'revoked') return { words: 'revoked', tone: 'quiet', icon: 'cancelled' };
  if (key.state === 'expired')
    return { words: key.person === null ? 'expired' : 'shut out', tone: 'bad', icon: 'failed' };
  if (key.formerUntil !== null) return { words: 'rotating', tone: 'warn', icon: 'twice' };
  if (key.expiresAt !== null && Date.parse(key.expiresAt) - nowMs < soonDays * dayMs)
    return { words: 'ends soon', tone: 'warn', icon: 'warn' };
  return key.lastUsedAt === null
    ? { words: 'never used', tone: 'quiet', icon: 'pending' }
    : { words: 'active', tone: 'ok', icon: 'done' };
}

const weekMs = 7 * dayMs;

/** Returns true if an expired or revoked secret of the key was used in the last seven days. */
export function isStillUsed({ refusals }: Pick<ApiKey, 'refusals'>, nowMs: number): boolean {
  return refusals !== null && nowMs - Date.parse(refusals.lastAt) < weekMs;
}

export function prependRefused<Key extends Pick<ApiKey, 'id'>>(ahead: readonly Key[], page: readonly Key[]): Key[] {
  const ids = new Set(ahead.map(({ id }) => id));
  return [...ahead, ...page.filter(({ id }) => !ids.has(id))];
}

export function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

export interface KeyForm {
  name: string;
  owner: string;
  role: ApiKey['role'];
  /**
   * Names separated by commas or spaces. Empty means all. If `clients` is set, but neither `countries` nor
   * `actionTypes`, the scope contains no campaigns.
   */
  clients: string;
  countries: string;
  actionTypes: string;
  /** True if the key may read the users of every campaign in its scope. */
  users: boolean;
  /** Numbers as typed. Empty means no limit of the key's own. */
  jobsPerSecond: string;
  storedJobs: string;
  requestsPerMinute: string;
  /** Date such as `2027-06-01`, or empty. */
  expires: string;
}

export const emptyForm: KeyForm = {
  name: '',
  owner: '',
  role: 'scheduler',
  clients: '',
  countries: '',
  actionTypes: '',
  users: false,
  jobsPerSecond: '',
  storedJobs: '',
  requestsPerMinute: '',
  expires: '',
};

/** Returns the form for a key that replaces an expired or revoked one: the same settings without an expiry. */
export function copyForm(key: ApiKey): KeyForm {
  return { ...createKeyForm(key), expires: '' };
}

export function createKeyForm({ name, owner, role, scope, bounds, expiresAt }: ApiKey): KeyForm {
  const { clients, countries, actionTypes, users } = scope;
  const hasAllCampaigns = clients !== null && countries === null && actionTypes === null;
  const typed = (bound: number | null) => (bound === null ? '' : String(bound));
  const textOf = (names: readonly string[] | null) => (names?.length === 0 ? noneText : (names?.join(', ') ?? ''));
  return {
    name,
    owner: owner ?? '',
    role,
    expires: expiresAt?.slice(0, '2027-06-01'.length) ?? '',
    clients: textOf(clients),
    countries: hasAllCampaigns ? allText : textOf(countries),
    actionTypes: hasAllCampaigns ? allText : textOf(actionTypes),
    users,
    jobsPerSecond: typed(bounds.jobsPerSecond),
    storedJobs: typed(bounds.storedJobs),
    requestsPerMinute: typed(bounds.requestsPerMinute),
  };
}

/** Returns undefined if a text is not a number. */
export function readBounds(form: KeyForm): ApiKey['bounds'] | undefined {
  const [jobsPerSecond, storedJobs, requestsPerMinute] = [
    typedNumber(form.jobsPerSecond),
    typedNumber(form.storedJobs),
    typedNumber(form.requestsPerMinute),
  ];
  if (jobsPerSecond === undefined || storedJobs === undefined || requestsPerMinute === undefined) return undefined;
  return { jobsPerSecond, storedJobs, requestsPerMinute };
}

/** Returns the reason why the form is not a valid key; undefined if it is. */
export function findKeyRefusal(form: KeyForm): string | undefined {
  return findBoundsRefusal(form) ?? findOwnerRefusal(form);
}

/**
 * Returns the reason why the form cannot be saved as a change of the key. A key that has no owner may remain without an
 * owner.
 */
export function findChangeRefusal(key: ApiKey, form: KeyForm): string | undefined {
  const patch = createPatch(key, form);
  if (Object.keys(patch).length === 0) return findBoundsRefusal(form) ?? 'Nothing is changed';
  const isOwnerChanged = patch.owner !== undefined || patch.role !== undefined;
  return findBoundsRefusal(form) ?? (isOwnerChanged ? findOwnerRefusal(form) : undefined);
}

/**
 * Returns true if keys of a role need an owner. Approvals compare people by the owners of managers and approvers; keys
 * of administrators had better have none (docs/decisions/0082-how-approvals-work.md).
 */
export function needsOwner(role: ApiKey['role']): boolean {
  return role === 'manager' || role === 'approver';
}

function findBoundsRefusal(form: KeyForm): string | undefined {
  return readBounds(form) === undefined ? 'A limit must be a number or empty' : undefined;
}

function findOwnerRefusal(form: KeyForm): string | undefined {
  if (!needsOwner(form.role) || ownerOf(form) !== null) return undefined;
  return `The key of ${form.role === 'approver' ? 'an approver' : 'a manager'} needs an owner: approvals compare people by it`;
}

export function readScope({ clients, countries, actionTypes, users }: KeyForm): ApiKey['scope'] {
  const isForCallbacks = listOf(clients) !== null && countries.trim() === '' && actionTypes.trim() === '';
  const campaigns = isForCallbacks
    ? { countries: [], actionTypes: [] }
    : { countries: listOf(countries), actionTypes: listOf(actionTypes) };
  return { clients: listOf(clients), ...campaigns, users };
}

export function createKey(form: KeyForm): NewApiKeyInput {
  const bounds = readBounds(form);
  return {
    name: form.name,
    owner: ownerOf(form),
    role: form.role,
    scope: readScope(form),
    ...(bounds !== undefined && describeBounds(bounds) !== null && { bounds }),
    expiresAt: endOf(form),
  };
}

/**
 * Returns the changed fields. The field for the expiry shows only the date: if the user does not edit it, the expiry
 * keeps its time of day.
 */
export function createPatch(key: ApiKey, form: KeyForm): ApiKeyPatchInput {
  const before = createKeyForm(key);
  const differs = (...names: (keyof KeyForm)[]) => names.some((name) => form[name] !== before[name]);
  const bounds = readBounds(form);
  return {
    ...(differs('name') && { name: form.name }),
    ...(differs('owner') && { owner: ownerOf(form) }),
    ...(differs('role') && { role: form.role }),
    ...(differs('clients', 'countries', 'actionTypes', 'users') && { scope: readScope(form) }),
    ...(bounds !== undefined && differs('jobsPerSecond', 'storedJobs', 'requestsPerMinute') && { bounds }),
    ...(differs('expires') && { expiresAt: endOf(form) }),
  };
}

function ownerOf({ owner }: KeyForm): string | null {
  return owner.trim() === '' ? null : owner;
}

function endOf({ expires }: KeyForm): string | null {
  return expires === '' ? null : `${expires}T00:00:00Z`;
}

/** Text for an empty list: an empty text would mean all. No name contains parentheses. */
const noneText = '(none)';
const allText = '(all)';

function listOf(text: string): string[] | null {
  if (text.trim() === noneText) return [];
  if (text.trim() === allText) return null;
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? null : names;
}
