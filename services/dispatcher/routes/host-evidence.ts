import { isOwnMatter, witnessLastsMs, type SourceEvidence } from '../../../shared/domain/endpoint/own-matter.ts';
import type { HostSign } from './host-breaker.ts';

/** Upper bound on the routes by host, and on the keys by route. The one called longest ago is dropped first. */
const maxSources = 64;
/**
 * Upper bound on first-hand calls of a host with an open circuit: those in flight, plus those that failed since the
 * host last answered. Then the least time between two such calls.
 */
const maxFirstHandCalls = 4;
const firstHandEveryMs = 100;
/**
 * Upper bounds on the waiting jobs of a host, because each is claimed again and again until it is called: jobs whose
 * route is called next, and jobs whose route is being called.
 */
const maxWaitingForTurn = 4;
const maxWaitingForAnswer = 64;
/** Milliseconds for which a job keeps its place. No job waits for a first-hand call that has taken longer. */
const longestWaitMs = 1000;
/** Number of called routes from which the host counts as failing if half of them fail. */
const severalRoutes = 8;

export interface EvidentCall {
  jobId: string;
  /** Name of its route, or of the host if it has none. */
  route: string;
  orderingKey: string | null;
  sign: Extract<HostSign, 'answers' | 'fails'>;
  /** Begin of the call. An answer since then shows that the host was up during the call, however long the call took. */
  startedMs: number;
}

export interface EvidenceScope {
  /** True if the host serves another route: then only the call's own route learns. */
  isOfRoute: boolean;
  /** True if several routes were called and half of them or more fail at a time: then the host learns in any case. */
  isOfMany: boolean;
  /** True if the call failed while the route serves another ordering key: then the route does not learn either. */
  isOfKey: boolean;
  /** Id under which failures count once: the job; or all jobs of its ordering key if another key is served. */
  id: string;
}

/**
 * Latest ends of calls to one host of one client, by route and then by ordering key. They decide which breaker learns
 * from the next call (own-matter.ts).
 */
export interface HostEvidence {
  onCalled(call: EvidentCall, nowMs: number): EvidenceScope;
  /**
   * Decides about a job of a host with an open circuit, while this process does not know whether the host serves the
   * job's route. `call`: an answer will show that the host is not down. `wait`: another job is being called for that,
   * and few others wait. Repeated requests for the same job get the same result.
   */
  firstHandOf(job: Pick<EvidentCall, 'jobId' | 'route' | 'orderingKey'>, nowMs: number): FirstHandPermit;
  isFirstHand(jobId: string): boolean;
  /** Reports the end of a job, with `none` if it was not called. */
  onEnded(jobId: string, sign: HostSign): void;
  /** True while no first-hand call is in flight. */
  readonly isIdle: boolean;
  /** Number of routes, plus the ordering keys of all of them. */
  readonly size: number;
}

/** Upper bound on the remembered routes and keys, over all hosts. */
const maxRemembered = 100_000;

/** Evidence by host. The hosts called longest ago are dropped first, unless a first-hand call is in flight. */
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
      // Counts the growth of the evidence since its last use.
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

export type FirstHandPermit = 'call' | 'wait' | 'put-aside';

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
      const isBesideServed = orderingKey !== null && isOwnMatter('failure', key, own.keys.values(), startedMs);
      const isOfKey = sign === 'fails' && isBesideServed;
      const id = isBesideServed ? `key ${key}` : jobId;
      return { isOfRoute, isOfMany: isOfMany && !isOfKey, isOfKey, id };
    },
    firstHandOf: ({ jobId, route, orderingKey }, nowMs) => {
      if (firstHand.has(jobId)) return 'call';
      const own = routes.get(route);
      if (own && isFailing(own) && !isOtherThanTheOneThatFails(own, orderingKey)) return 'put-aside';
      for (const tried of firstHand.values()) {
        if (tried.route !== route) continue;
        return nowMs - tried.sinceMs < longestWaitMs ? forAnswer.permit(jobId, nowMs) : 'put-aside';
      }
      if (firstHand.size + failedFirstHand >= maxFirstHandCalls) return 'put-aside';
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
  /** Lets up to `max` jobs wait at a time, each for a second, and sidelines all others. */
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
        if (untilMs.size >= max) return 'put-aside';
        untilMs.set(jobId, nowMs + longestWaitMs);
      }
      return 'wait';
    },
    leave: (jobId) => {
      untilMs.delete(jobId);
    },
  };
}

/** Key for the jobs of a route without an ordering key. */
const unkeyed = '';

function note(evidence: Evidence, sign: EvidentCall['sign'], nowMs: number): void {
  if (sign === 'answers') evidence.answeredAtMs = nowMs;
  else evidence.failedAtMs = nowMs;
}

function isFailing({ answeredAtMs, failedAtMs }: Evidence): boolean {
  return failedAtMs >= answeredAtMs;
}

/** True if several routes were called within ten seconds before that time or since, and half of them or more fail. */
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

/** True if all failures of the route have one ordering key, and the given key is another one. */
function isOtherThanTheOneThatFails({ keys }: RouteEvidence, orderingKey: string | null): boolean {
  const failing = [...keys.values()].filter(isFailing);
  return failing.length === 1 && failing[0]?.id !== (orderingKey ?? unkeyed);
}

const never = Number.NEGATIVE_INFINITY;

function nothingOf(id: string): Evidence {
  return { id, answeredAtMs: never, failedAtMs: never, pressedAtMs: never };
}

/** Returns the source of this id, and marks it as called last. */
function latest<Source>(sources: Map<string, Source>, id: string, create: () => Source): Source {
  const source = sources.get(id) ?? create();
  sources.delete(id);
  sources.set(id, source);
  const [oldest] = sources.keys();
  if (sources.size > maxSources && oldest !== undefined) sources.delete(oldest);
  return source;
}
