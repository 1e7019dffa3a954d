/**
 * Everything that looks random in the sandbox is a hash of what is asked: tests compute beforehand who fails, a repeat
 * of a call meets the same fate, and a run can be replayed.
 */
export type ServiceName = 'rewards' | 'points' | 'messages' | 'checks';

/** Why users of a service fail for good; each failing user has one of them. */
export const failureCodes: Record<ServiceName, readonly [string, string]> = {
  rewards: ['out-of-stock', 'account-closed'],
  points: ['account-closed', 'limit-reached'],
  messages: ['no-device', 'opted-out-number'],
  checks: ['cap-reached', 'no-consent'],
};

/** The same for people: what is shown of failed users. */
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

/** The code that the service gives a user for good, at every call, or undefined when it serves the user. */
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
 * What goes wrong with a whole call. `busy` applies nothing; the others apply everything and lose the answer on the
 * way.
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

/** Each attempt of a key rolls anew, so that sending again helps. */
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
  /** Share of users that are asked to come again, 0 to 1. */
  retryableShare: number;
}

/**
 * Whether a user is asked to come again. Rolls anew for every key, under which the user then comes; the same key
 * repeats its answer.
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

/** FNV-1a with murmur's finish, as a number in [0, 1): neighbouring ids must not share their fate. */
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
