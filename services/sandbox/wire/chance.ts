/**
 * Services of the sandbox. All randomness in the sandbox is a hash of the request. Tests can compute failures in
 * advance, a repeated call has the same outcome, and a run can be replayed.
 */
export type ServiceName = 'rewards' | 'points' | 'messages' | 'checks';

/** Codes of final failures by service; each failing user has one of them. */
export const failureCodes: Record<ServiceName, readonly [string, string]> = {
  rewards: ['out-of-stock', 'account-closed'],
  points: ['account-closed', 'limit-reached'],
  messages: ['no-device', 'opted-out-number'],
  checks: ['cap-reached', 'no-consent'],
};

export const failureWords: Readonly<Partial<Record<string, string>>> = {
  'out-of-stock': 'none of this reward is left in this country',
  'account-closed': 'the account was closed by its owner',
  'limit-reached': 'as many points as an account may have',
  'no-device': 'no device takes messages for this user',
  'opted-out-number': 'the number has opted out',
};

export interface FailurePlan {
  salt: string;
  service: ServiceName;
  /** Share of users that fail for good, 0 to 1. */
  failureShare: number;
}

/** Returns the final failure code of a user, the same in every call; undefined if the service serves the user. */
export function failuresOf({ salt, service, failureShare }: FailurePlan): (user: string) => string | undefined {
  if (failureShare === 0) return () => undefined;
  const topic = topicOf(`${salt}/${service}/fails/`);
  const [common, rare] = failureCodes[service];
  return (user) => {
    const roll = fractionOf(topic, user);
    if (roll >= failureShare) return undefined;
    return roll < failureShare * 0.7 ? common : rare;
  };
}

/**
 * Fault of a whole call. `busy` applies nothing. The others apply everything, but the caller gets no successful
 * response.
 */
export type CallFault = 'busy' | 'no-answer' | 'server-error';

export interface CallChances {
  salt: string;
  service: ServiceName;
  /** Share of calls answered 503 with `Retry-After`. */
  busyShare: number;
  /** Share of calls that are applied and whose connection is then cut. */
  noAnswerShare: number;
  /** Share of calls that are applied and then answered 500. */
  serverErrorShare: number;
}

/** Returns the fault of a call. Each attempt has its own chance, so that retries help. */
export function faultOf(chances: CallChances, key: string, attempt: number): CallFault | undefined {
  const { busyShare, noAnswerShare, serverErrorShare } = chances;
  if (busyShare + noAnswerShare + serverErrorShare === 0) return undefined;
  const roll = fractionOf(topicOf(`${chances.salt}/${chances.service}/call/${attempt}/`), key);
  if (roll < busyShare) return 'busy';
  if (roll < busyShare + noAnswerShare) return 'no-answer';
  if (roll < busyShare + noAnswerShare + serverErrorShare) return 'server-error';
  return undefined;
}

export interface RetryPlan {
  salt: string;
  service: ServiceName;
  /** Share of users with a retryable failure, 0 to 1. */
  retryableShare: number;
}

/**
 * Returns a function that is true for users whose failure is retryable. The result is the same for the same request
 * key.
 */
export function retriesOf({ salt, service, retryableShare }: RetryPlan, key: string): (user: string) => boolean {
  if (retryableShare === 0) return () => false;
  const topic = topicOf(`${salt}/${service}/retry/${key}/`);
  return (user) => fractionOf(topic, user) < retryableShare;
}

/** @returns milliseconds in [from, to] */
export function latencyOf(range: { fromMs: number; toMs: number }, key: string, attempt: number): number {
  if (range.toMs === range.fromMs) return range.fromMs;
  return Math.round(range.fromMs + fractionOf(topicOf(`latency/${attempt}/`), key) * (range.toMs - range.fromMs));
}

/** Hashes by FNV-1a with murmur's finish to a number in [0, 1), so that neighbouring ids have independent outcomes. */
export function fractionOf(topic: number, subject: string): number {
  let hash = addTo(topic, subject);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export function topicOf(text: string): number {
  return addTo(0x811c9dc5, text);
}

function addTo(hash: number, text: string): number {
  let sum = hash;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum;
}
