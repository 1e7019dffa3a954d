import { isOwnMatter, witnessLastsMs, type SourceEvidence } from '../../../shared/domain/endpoint/own-matter.ts';
import type { HostSign } from './host-breaker.ts';

/**
 * Maximum number of routes per host, and of ordering keys per route. If there are more, the least recently called route
 * or key is dropped.
 */
const maxSources = 64;
/**
 * Limits on first-hand calls. A first-hand call is made although the circuit of its host is open, to find out if the
 * host serves the job's route. `maxFirstHandCalls` limits the number of calls that are in flight or have failed since
 * the host last answered. `firstHandEveryMs` is the minimum time between two first-hand calls.
 */
const maxFirstHandCalls = 4;
const firstHandEveryMs = 100;
/**
 * Maximum number of jobs per host that wait to become a first-hand call, and maximum number that wait for the result of
 * one. The numbers are bounded, because each waiting job is claimed and released again and again until it is called.
 */
const maxWaitingForTurn = 4;
const maxWaitingForAnswer = 64;
/**
 * Maximum time in milliseconds for which a job waits. If a first-hand call takes longer than this, other jobs do not
 * wait for its result any more.
 */
const longestWaitMs = 1000;
/**
 * Minimum number of recently called routes from which the host itself counts as failing when at least half of them
 * fail.
 */
const severalRoutes = 8;

export interface EvidentCall {
  jobId: string;
  /** Name of the job's route; the name of the host if the job has no route. */
  route: string;
  orderingKey: string | null;
  sign: Extract<HostSign, 'answers' | 'fails'>;
  /**
   * Monotonic time at which the call began. If another route got an answer after this time, the host was up during the
   * call, even if this call took long.
   */
  startedMs: number;
}

export interface EvidenceScope {
  /** True if the host serves another route. A failure then counts only for the call's own route. */
  isOfRoute: boolean;
  /** True if at least half of several routes fail at the same time. A failure then counts for the host in any case. */
  isOfMany: boolean;
  /**
   * True if the call failed while its route serves another ordering key. The failure then does not count for the route
   * either.
   */
  isOfKey: boolean;
  /**
   * Id under which repeated failures count only once. Usually this is the id of the job. If the route serves another
   * ordering key, all jobs of the failing key share one id.
   */
  id: string;
}

/**
 * Latest results of calls to one host of one client, by route and ordering key. They determine if a result counts for
 * the circuit breaker of the host, of the route, or for neither (own-matter.ts).
 */
export interface HostEvidence {
  onCalled(call: EvidentCall, nowMs: number): EvidenceScope;
  /**
   * Decides about a job whose host has an open circuit, while this process does not know if the host serves the job's
   * route.
   *
   * - `call`: call the job. If it is answered, the host is not down.
   * - `wait`: the job may be called soon, or another job of its route is being called.
   * - `sideline`: sideline the job.
   *
   * Repeated requests for the same job have the same result while it waits or is called.
   */
  firstHandOf(job: Pick<EvidentCall, 'jobId' | 'route' | 'orderingKey'>, nowMs: number): FirstHandPermit;
  isFirstHand(jobId: string): boolean;
  /** Reports that a job has ended. `sign` is `none` if the job was not called. */
  onEnded(jobId: string, sign: HostSign): void;
  /** True while no first-hand call is in flight. */
  readonly isIdle: boolean;
  /** Number of routes, plus the ordering keys of all of them. */
  readonly size: number;
}

/** Upper bound on the remembered routes and keys, over all hosts. */
const maxRemembered = 100_000;

/**
 * Results of calls by host. If there are too many, the least recently called hosts are dropped first, except hosts with
 * a first-hand call in flight.
 */
export interface EvidenceMemory {
  of(host: string): HostEvidence;
  find(host: string): HostEvidence | undefined;
}

export function createEvidenceMemory(): EvidenceMemory {
  const hosts = new Map<string, { evidence: HostEvidence; counted: number }>();
  let size = 0;

  function makeRoom(): void {
    for (const [host, { evidence, counted }] of hosts) {
      if (size <= maxRemembered) return;
      if (!evidence.isIdle) continue;
      hosts.delete(host);
      size -= counted;
    }
  }

  return {
    of: (host) => {
      const known = hosts.get(host);
      const evidence = known?.evidence ?? createHostEvidence();
      // Adds the growth of the evidence since its last use to the total size.
      const counted = 1 + evidence.size;
      size += counted - (known?.counted ?? 0);
      hosts.delete(host);
      makeRoom();
      hosts.set(host, { evidence, counted });
      return evidence;
    },
    find: (host) => hosts.get(host)?.evidence,
  };
}

interface Evidence extends SourceEvidence {
  answeredAtMs: number;
  failedAtMs: number;
}

interface RouteEvidence extends Evidence {
  keys: Map<string, Evidence>;
}

export type FirstHandPermit = 'call' | 'wait' | 'sideline';

export function createHostEvidence(): HostEvidence {
  const routes = new Map<string, RouteEvidence>();
  const firstHand = new Map<string, { route: string; sinceMs: number }>();
  const forTurn = createWaiting(maxWaitingForTurn);
  const forAnswer = createWaiting(maxWaitingForAnswer);
  let firstHandAtMs = Number.NEGATIVE_INFINITY;
  let failedFirstHand = 0;

  return {
    onCalled: ({ jobId, route, orderingKey, sign, startedMs }, nowMs) => {
      const own = latest(routes, route, () => ({ ...nothingOf(route), keys: new Map<string, Evidence>() }));
      note(own, sign, nowMs);
      const isOfRoute = sign === 'fails' && isOwnMatter('failure', route, routes.values(), startedMs);
      const isOfMany = sign === 'fails' && areManyFailing(routes.values(), startedMs);
      if (orderingKey === null && own.keys.size === 0) return { isOfRoute, isOfMany, isOfKey: false, id: jobId };
      const key = orderingKey ?? unkeyed;
      note(
        latest(own.keys, key, () => nothingOf(key)),
        sign,
        nowMs,
      );
      const areOtherKeysServed = orderingKey !== null && isOwnMatter('failure', key, own.keys.values(), startedMs);
      const isOfKey = sign === 'fails' && areOtherKeysServed;
      const id = areOtherKeysServed ? `key ${key}` : jobId;
      return { isOfRoute, isOfMany: isOfMany && !isOfKey, isOfKey, id };
    },
    firstHandOf: ({ jobId, route, orderingKey }, nowMs) => {
      if (firstHand.has(jobId)) return 'call';
      const own = routes.get(route);
      if (own && isFailing(own) && !isOtherThanTheOneThatFails(own, orderingKey)) return 'sideline';
      for (const tried of firstHand.values()) {
        if (tried.route !== route) continue;
        return nowMs - tried.sinceMs < longestWaitMs ? forAnswer.permit(jobId, nowMs) : 'sideline';
      }
      if (firstHand.size + failedFirstHand >= maxFirstHandCalls) return 'sideline';
      if (nowMs - firstHandAtMs < firstHandEveryMs) return forTurn.permit(jobId, nowMs);
      forTurn.leave(jobId);
      firstHand.set(jobId, { route, sinceMs: nowMs });
      firstHandAtMs = nowMs;
      return 'call';
    },
    isFirstHand: (jobId) => firstHand.has(jobId),
    get isIdle() {
      return firstHand.size === 0;
    },
    get size() {
      let keys = 0;
      for (const route of routes.values()) keys += route.keys.size;
      return routes.size + keys;
    },
    onEnded: (jobId, sign) => {
      const isFirst = firstHand.delete(jobId);
      if (sign === 'answers' || sign === 'gone') failedFirstHand = 0;
      else if (isFirst && sign === 'fails') failedFirstHand++;
    },
  };
}

interface Waiting {
  /**
   * Returns `wait` for up to `max` jobs at a time, each for at most a second. Returns `sideline` for all other jobs.
   */
  permit(jobId: string, nowMs: number): FirstHandPermit;
  leave(jobId: string): void;
}

function createWaiting(max: number): Waiting {
  const untilMs = new Map<string, number>();
  return {
    permit: (jobId, nowMs) => {
      for (const [waiting, until] of untilMs) {
        if (until > nowMs) break;
        untilMs.delete(waiting);
      }
      if (!untilMs.has(jobId)) {
        if (untilMs.size >= max) return 'sideline';
        untilMs.set(jobId, nowMs + longestWaitMs);
      }
      return 'wait';
    },
    leave: (jobId) => {
      untilMs.delete(jobId);
    },
  };
}

/** Key that stands for all jobs of a route without an ordering key. */
const unkeyed = '';

function note(evidence: Evidence, sign: EvidentCall['sign'], nowMs: number): void {
  if (sign === 'answers') evidence.answeredAtMs = nowMs;
  else evidence.failedAtMs = nowMs;
}

function isFailing({ answeredAtMs, failedAtMs }: Evidence): boolean {
  return failedAtMs >= answeredAtMs;
}

/**
 * Returns true if several routes were called recently, and at least half of them fail. Recently means after `sinceMs`,
 * or within the ten seconds before.
 */
function areManyFailing(routes: Iterable<Evidence>, sinceMs: number): boolean {
  let called = 0;
  let failing = 0;
  for (const route of routes) {
    if (sinceMs - Math.max(route.answeredAtMs, route.failedAtMs) >= witnessLastsMs) continue;
    called++;
    if (isFailing(route)) failing++;
  }
  return called >= severalRoutes && failing >= called / 2;
}

/** Returns true if all failures of the route belong to one ordering key, and the given key is another one. */
function isOtherThanTheOneThatFails({ keys }: RouteEvidence, orderingKey: string | null): boolean {
  const failing = [...keys.values()].filter(isFailing);
  return failing.length === 1 && failing[0]?.id !== (orderingKey ?? unkeyed);
}

const never = Number.NEGATIVE_INFINITY;

function nothingOf(id: string): Evidence {
  return { id, answeredAtMs: never, failedAtMs: never, pressedAtMs: never };
}

/** Returns the route or ordering key with this id, and marks it as the most recently called. */
function latest<Source>(sources: Map<string, Source>, id: string, create: () => Source): Source {
  const source = sources.get(id) ?? create();
  sources.delete(id);
  sources.set(id, source);
  const [oldest] = sources.keys();
  if (sources.size > maxSources && oldest !== undefined) sources.delete(oldest);
  return source;
}
