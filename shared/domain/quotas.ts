/**
 * Limits of one account, for concurrent use or per day. An account is a key that was made for the whole installation,
 * together with all keys that inherited its scope: more keys do not raise the limits.
 */
export const storedQuotas = [
  'openRuns',
  'campaignChanges',
  'lists',
  'listBytes',
  /** Limit over all accounts together. */
  'allListBytes',
] as const;
export type StoredQuota = (typeof storedQuotas)[number];

/** Kinds of requests that load a process heavily while they last. Each kind has slots of its own. */
export const heavyKinds = ['exports', 'uploads', 'reports', 'previews'] as const;
export type HeavyKind = (typeof heavyKinds)[number];

/** Concurrent requests of one kind in a process. Connection pools for these requests have the same size. */
export const heavySlotsOfProcess = 4;

/** Concurrent requests of one kind of one account in a process: half of all slots, so that others can use the rest. */
export const heavySlotsOfAccount = heavySlotsOfProcess / 2;

/** Configured quotas; `streams` applies to each process. */
export type Quotas = Readonly<Record<StoredQuota | 'streams', number>>;

export type QuotaUse = Readonly<Record<StoredQuota, number>>;

/** Fraction of a quota from which the API reports that it is nearly used. */
export const nearlyUsed = 0.8;

export class BeyondQuotaError extends Error {
  override readonly name = 'BeyondQuotaError';
  readonly quota: StoredQuota;
  readonly limit: number;

  constructor(quota: StoredQuota, limit: number) {
    super(`${quota} would be more than ${limit}`);
    this.quota = quota;
    this.limit = limit;
  }
}

export type ScheduleBound = 'maxSchedules' | 'acceptPerSecond';

export class BeyondScheduleBoundError extends Error {
  override readonly name = 'BeyondScheduleBoundError';
  readonly bound: ScheduleBound;

  constructor(bound: ScheduleBound, detail: string) {
    super(detail);
    this.bound = bound;
  }
}
