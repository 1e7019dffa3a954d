/**
 * What one account may have at once, or write in a day. An account is a key that was made for the whole installation,
 * together with all keys that its scope was handed on to: more keys are no more room.
 */
export const storedQuotas = [
  'openRuns',
  'campaignChanges',
  'lists',
  'listBytes',
  /** Of all accounts together. */
  'allListBytes',
] as const;
export type StoredQuota = (typeof storedQuotas)[number];

/** Kinds of requests that take much of a process for as long as they last. Each kind has slots of its own. */
export const heavyKinds = ['exports', 'uploads', 'reports', 'previews'] as const;
export type HeavyKind = (typeof heavyKinds)[number];

/** Requests of one kind that a process carries out at once. Pools of connections for them have as many. */
export const heavySlotsOfProcess = 4;

/** Requests of one kind that one account may have under way in a process: half of all, so that others have a half. */
export const heavySlotsOfAccount = heavySlotsOfProcess / 2;

/** As they are configured; `streams` is of each process. */
export type Quotas = Readonly<Record<StoredQuota | 'streams', number>>;

/** How much there is of each. */
export type QuotaUse = Readonly<Record<StoredQuota, number>>;

/** From such a part on it is said that a quota is nearly used. */
export const nearlyUsed = 0.8;

/** What was asked for would be more than an account, or the installation, may have. */
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

/** What a client says itself of the schedules that it may have. */
export type ScheduleBound = 'maxSchedules' | 'acceptPerSecond';

/** A schedule would be more than its client may have. */
export class BeyondScheduleBoundError extends Error {
  override readonly name = 'BeyondScheduleBoundError';
  readonly bound: ScheduleBound;

  constructor(bound: ScheduleBound, detail: string) {
    super(detail);
    this.bound = bound;
  }
}
