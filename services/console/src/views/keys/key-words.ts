import type { ApiKey, ApiKeyPatchInput, NewApiKeyInput } from '#client/types.gen.ts';
import type { IconName } from '../../parts/icon/icon.tsx';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { soonDays } from './search.ts';

export const roleSaid = {
  viewer: 'reads, and sees no bodies or answers of jobs',
  scheduler: 'jobs and schedules of its clients',
  manager: 'campaigns in its countries and action types',
  approver: 'approves campaigns that others have written, in its countries and action types',
  operator: 'everything in its scope, keys among it',
} as const satisfies Record<ApiKey['role'], string>;

/** Describes a scope: `client orders · SG, ID`. A scope without limits is everything. */
export function scopeInWords({ clients, countries, actionTypes, users }: ApiKey['scope']): string {
  const parts = [
    ...said('client', 'clients', clients),
    ...said('country', 'countries', countries),
    ...said('action', 'actions', actionTypes),
    ...(users ? ['users of all campaigns that it sees'] : []),
  ];
  return parts.length === 0 ? 'everything' : parts.join(' · ');
}

/** Describes limits: `200 jobs/s · 500,000 stored`; null if the key has none of its own. */
export function boundsInWords({ jobsPerSecond, storedJobs, requestsPerMinute }: ApiKey['bounds']): string | null {
  const parts = [
    ...(jobsPerSecond === null ? [] : [`${formatCount(jobsPerSecond)} jobs/s`]),
    ...(storedJobs === null ? [] : [`${formatCount(storedJobs)} stored`]),
    ...(requestsPerMinute === null ? [] : [`${formatCount(requestsPerMinute)} requests/min`]),
  ];
  return parts.length === 0 ? null : parts.join(' · ');
}

function said(one: string, many: string, names: readonly string[] | null): string[] {
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

export function standingOf(key: ApiKey, nowMs: number): KeyStanding {
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

export function refusedFirst<Key extends Pick<ApiKey, 'id'>>(ahead: readonly Key[], page: readonly Key[]): Key[] {
  const ids = new Set(ahead.map(({ id }) => id));
  return [...ahead, ...page.filter(({ id }) => !ids.has(id))];
}

export function timesOf(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

export interface KeyForm {
  name: string;
  owner: string;
  role: ApiKey['role'];
  /** Names separated by commas or blanks. Empty means all; but a key with a scope of clients has no campaigns then. */
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
export function formLike(key: ApiKey): KeyForm {
  return { ...formOf(key), expires: '' };
}

export function formOf({ name, owner, role, scope, bounds, expiresAt }: ApiKey): KeyForm {
  const { clients, countries, actionTypes, users } = scope;
  const isAll = clients !== null && countries === null && actionTypes === null;
  const typed = (bound: number | null) => (bound === null ? '' : String(bound));
  const textOf = (names: readonly string[] | null) => (names?.length === 0 ? noneText : (names?.join(', ') ?? ''));
  return {
    ...{ name, owner: owner ?? '', role, expires: expiresAt?.slice(0, '2027-06-01'.length) ?? '' },
    ...{ clients: textOf(clients), countries: isAll ? allText : textOf(countries) },
    ...{ actionTypes: isAll ? allText : textOf(actionTypes), users },
    ...{ jobsPerSecond: typed(bounds.jobsPerSecond), storedJobs: typed(bounds.storedJobs) },
    requestsPerMinute: typed(bounds.requestsPerMinute),
  };
}

/** Returns undefined if a text is not a number. */
export function boundsOfForm(form: KeyForm): ApiKey['bounds'] | undefined {
  const [jobsPerSecond, storedJobs, requestsPerMinute] = [
    typedNumber(form.jobsPerSecond),
    typedNumber(form.storedJobs),
    typedNumber(form.requestsPerMinute),
  ];
  if (jobsPerSecond === undefined || storedJobs === undefined || requestsPerMinute === undefined) return undefined;
  return { jobsPerSecond, storedJobs, requestsPerMinute };
}

/** Returns the reason why the form is not a valid key; undefined if it is. */
export function whyNoKey(form: KeyForm): string | undefined {
  return whyNoBounds(form) ?? whyNoOwner(form);
}

/** Returns the reason why the form does not change the key. A key without an owner may stay without one. */
export function whyNoChange(key: ApiKey, form: KeyForm): string | undefined {
  const patch = patchOfForm(key, form);
  if (Object.keys(patch).length === 0) return whyNoBounds(form) ?? 'Nothing is changed';
  const isOwnerChanged = patch.owner !== undefined || patch.role !== undefined;
  return whyNoBounds(form) ?? (isOwnerChanged ? whyNoOwner(form) : undefined);
}

/**
 * Returns true if keys of a role need an owner. Approvals compare people by the owners of managers and approvers; keys
 * of administrators had better have none (docs/decisions/0082-how-approvals-work.md).
 */
export function needsOwner(role: ApiKey['role']): boolean {
  return role === 'manager' || role === 'approver';
}

function whyNoBounds(form: KeyForm): string | undefined {
  return boundsOfForm(form) === undefined ? 'A bound has to be a number, or empty' : undefined;
}

function whyNoOwner(form: KeyForm): string | undefined {
  if (!needsOwner(form.role) || ownerOf(form) !== null) return undefined;
  return `The key of ${form.role === 'approver' ? 'an approver' : 'a manager'} needs an owner: approvals compare people by it`;
}

export function scopeOfForm({ clients, countries, actionTypes, users }: KeyForm): ApiKey['scope'] {
  const isForCallbacks = listOf(clients) !== null && countries.trim() === '' && actionTypes.trim() === '';
  const campaigns = isForCallbacks
    ? { countries: [], actionTypes: [] }
    : { countries: listOf(countries), actionTypes: listOf(actionTypes) };
  return { clients: listOf(clients), ...campaigns, users };
}

export function keyOfForm(form: KeyForm): NewApiKeyInput {
  const bounds = boundsOfForm(form);
  return {
    ...{ name: form.name, owner: ownerOf(form), role: form.role, scope: scopeOfForm(form) },
    ...(bounds !== undefined && boundsInWords(bounds) !== null && { bounds }),
    expiresAt: endOf(form),
  };
}

/** Returns the changed fields. An expiry with a time of day, which no field can express, stays unchanged. */
export function patchOfForm(key: ApiKey, form: KeyForm): ApiKeyPatchInput {
  const before = formOf(key);
  const differs = (...names: (keyof KeyForm)[]) => names.some((name) => form[name] !== before[name]);
  const bounds = boundsOfForm(form);
  return {
    ...(differs('name') && { name: form.name }),
    ...(differs('owner') && { owner: ownerOf(form) }),
    ...(differs('role') && { role: form.role }),
    ...(differs('clients', 'countries', 'actionTypes', 'users') && { scope: scopeOfForm(form) }),
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
