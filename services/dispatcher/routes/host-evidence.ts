import { isOwnMatter, witnessLastsMs, type SourceEvidence } from '../../../shared/domain/endpoint/own-matter.ts';
import type { HostSign } from './host-breaker.ts';

/** Routes remembered for each host, and keys for each route. Those called longest ago are dropped first. */
const maxSources = 64;
/**
 * First-hand calls of a host that is put aside: those in flight, and those that failed since the host last answered.
 * Then the least time from one to the next.
 */
const maxFirstHandCalls = 4;
const firstHandEveryMs = 100;
/**
 * Jobs of a host that wait at a time, as each is claimed anew until it is called: those whose route is next to be
 * called, and those whose route is being called.
 */
const maxWaitingForTurn = 4;
const maxWaitingForAnswer = 64;
/** A job keeps its place among them for so long. No job waits for a first-hand call that has taken longer. */
const longestWaitMs = 1000;
/** From so many routes on, a host whose routes fail by half or more fails itself. */
const severalRoutes = 8;

/** A call that has ended, as the evidence of its host sees it. */
export interface EvidentCall {
  jobId: string;
  /** Name of its route, or of the host if it has none. */
  route: string;
  orderingKey: string | null;
  sign: Extract<HostSign, 'answers' | 'fails'>;
  /** Begin of the call. Answers since then show that the host was up during the call, however long it took. */
  startedMs: number;
}

/** The part of a host that a call is evidence of. */
export interface EvidenceScope {
  /** True if the host serves another route: then only the call's own route learns. */
  isOfRoute: boolean;
  /** True if half of the host's routes or more fail at a time, of several: then the host learns in any case. */
  isOfMany: boolean;
  /** True if the call failed while the route serves another ordering key: then the route does not learn either. */
  isOfKey: boolean;
  /** Counts once, however often it fails: the job; or all jobs of its ordering key if another key is served. */
  id: string;
}

/**
 * The latest ends of calls to one host of one client, by route and in it by ordering key. They decide what learns from
 * the next call (own-matter.ts).
 */
export interface HostEvidence {
  onCalled(call: EvidentCall, nowMs: number): EvidenceScope;
  /**
   * Decides about a job whose host is put aside, while this process does not know whether the host serves its route.
   * `call`: its answer shows that the host is not down. `wait`: another job is being called for that, and few others
   * wait. Asked again for the same job, it is the same.
   */
  firstHandOf(job: Pick<EvidentCall, 'jobId' | 'route' | 'orderingKey'>, nowMs: number): FirstHandPermit;
  isFirstHand(jobId: string): boolean;
  /** A job has ended, called or not (`none`). */
  onEnded(jobId: string, sign: HostSign): void;
  /** True while no first-hand call is under way. */
  readonly isIdle: boolean;
  /** Routes, and ordering keys of all of them. */
  readonly size: number;
}

/** Routes and keys that are remembered, of all hosts together. */
const maxRemembered = 100_000;

/** The evidence by host. The hosts that were called longest ago make room, unless a first-hand call is under way. */
export interface EvidenceMemory {
  of(host: string): HostEvidence;
  /** Returns the evidence if there is any. */
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
      // Counts the size that the evidence has grown to since its last use.
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
  /** First-hand calls that failed since the host last answered. */
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
  /** Lets so many jobs wait at a time, each for a second, and puts all others aside. */
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

/** Stands for the jobs of a route that have no ordering key. */
const unkeyed = '';

function note(evidence: Evidence, sign: EvidentCall['sign'], nowMs: number): void {
  if (sign === 'answers') evidence.answeredAtMs = nowMs;
  else evidence.failedAtMs = nowMs;
}

function isFailing({ answeredAtMs, failedAtMs }: Evidence): boolean {
  return failedAtMs >= answeredAtMs;
}

/** True if several routes were called since ten seconds before that time, and half of them fail, or more. */
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

/** True if all failures of the route are those of one ordering key, and this is another one. */
function isOtherThanTheOneThatFails({ keys }: RouteEvidence, orderingKey: string | null): boolean {
  const failing = [...keys.values()].filter(isFailing);
  return failing.length === 1 && failing[0]?.id !== (orderingKey ?? unkeyed);
}

const never = Number.NEGATIVE_INFINITY;

function nothingOf(id: string): Evidence {
  return { id, answeredAtMs: never, failedAtMs: never, pressedAtMs: never };
}

/** Returns the source of this id, which counts as called last from now on. */
function latest<Source>(sources: Map<string, Source>, id: string, create: () => Source): Source {
  const source = sources.get(id) ?? create();
  sources.delete(id);
  sources.set(id, source);
  const [oldest] = sources.keys();
  if (sources.size > maxSources && oldest !== undefined) sources.delete(oldest);
  return source;
}
