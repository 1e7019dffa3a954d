import type { ClientLoadShape } from '../../../shared/contracts/jobs/client-load.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import { callsIn, durationAtMostMs, sumOfDurations } from '../../../shared/domain/job/call-durations.ts';
import { clientBehindAfterMs } from '../../../shared/domain/job/client-lag.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { callEndpointsOf } from '../../../shared/runtime/installation/call-endpoints.ts';
import type { ClientLedger } from './postgres/client-ledgers.ts';
import type { DueSnapshot, SidelinedLoad, TargetLoadAtDispatcher } from './postgres/client-loads.ts';

export interface ObservedLoad {
  due: DueSnapshot;
  aside: readonly SidelinedLoad[];
  atDispatchers: readonly TargetLoadAtDispatcher[];
  /** Last check of the ledger; null if the check is not needed or was never made. */
  check: ClientLedger['check'];
}

type Endpoint = ClientLoadShape['endpoints'][number];

export function loadView(
  client: Client,
  { due, aside, atDispatchers, check }: ObservedLoad,
  now: Date,
): ClientLoadShape {
  const sidelinedOf = new Map(aside.map((each) => [each.endpointId, each]));
  const loadsByEndpoint = Map.groupBy(atDispatchers, ({ endpointId }) => endpointId);
  const names = new Map(client.endpoints.map(({ endpointId, name }) => [endpointId, name]));
  const endpoints = callEndpointsOf(client).map(({ endpointId, terms }): Endpoint => {
    const { sidelined = 0, circuitOpenSince = null } = sidelinedOf.get(endpointId) ?? {};
    const waits = due.endpoints.get(endpointId);
    return {
      endpoint: names.get(endpointId) ?? defaultEndpointName,
      due: waits?.due ?? 0,
      lagMs: Math.round(waits?.oldestMs ?? 0),
      sidelined,
      circuitOpenSince: circuitOpenSince?.toISOString() ?? null,
      ...doneOf(loadsByEndpoint.get(endpointId) ?? []),
      maxCallsPerSecond: terms.publishRatePerSecond ?? null,
      maxUnderWay: terms.concurrency,
    };
  });
  const sum = (field: 'due' | 'sidelined' | 'underWay' | 'maxUnderWay') =>
    endpoints.reduce((all, each) => all + each[field], 0);
  const most = { due: sum('due'), lagMs: Math.max(...endpoints.map(({ lagMs }) => lagMs)) };
  const limits = endpoints.map(({ maxCallsPerSecond }) => maxCallsPerSecond);
  return {
    clientId: publicId('client', client.clientId),
    asOf: now.toISOString(),
    behindAfterMs: clientBehindAfterMs,
    ...(due.isPart ? atLeast(most, check) : most),
    estimated: due.isPart,
    sidelined: sum('sidelined'),
    ...doneOf(atDispatchers),
    maxUnderWay: sum('maxUnderWay'),
    maxCallsPerSecond: limits.reduce<number | null>(
      (all, each) => (all === null || each === null ? null : all + each),
      0,
    ),
    endpoints: endpoints.toSorted(worstFirst),
    dispatchers: [...Map.groupBy(atDispatchers, ({ dispatcher }) => dispatcher).values()].map(dispatcherView),
  };
}

function dispatcherView(loads: TargetLoadAtDispatcher[]): ClientLoadShape['dispatchers'][number] {
  const [{ dispatcher, region } = { dispatcher: '', region: '' }] = loads;
  const slots = loads.flatMap((each) => each.slots ?? []);
  return {
    dispatcher,
    region,
    ...nowOf(loads),
    maxUnderWay: slots.length === 0 ? null : slots.reduce((sum, each) => sum + each, 0),
    credit: loads.reduce((sum, { credit }) => sum + credit, 0),
  };
}

function doneOf(
  loads: readonly TargetLoadAtDispatcher[],
): Pick<Endpoint, 'underWay' | 'callsPerSecond' | 'lastTenMinutes'> {
  return { ...nowOf(loads), lastTenMinutes: lastTenMinutesOf(loads) };
}

function nowOf(loads: readonly TargetLoadAtDispatcher[]): Pick<Endpoint, 'underWay' | 'callsPerSecond'> {
  const lastMinute = loads.reduce((sum, each) => sum + (each.lastMinute ?? 0), 0);
  return {
    underWay: loads.reduce((sum, each) => sum + (each.underWay ?? 0), 0),
    callsPerSecond: rounded(lastMinute / 60),
  };
}

const slowest = 0.95;
const leastCountedMs = 1000;

/**
 * Adds up the rates of dispatchers. Each rate is computed over that dispatcher's own period of counting, because some
 * dispatchers may have started recently.
 */
function lastTenMinutesOf(loads: readonly TargetLoadAtDispatcher[]): Endpoint['lastTenMinutes'] {
  const counted = loads.flatMap(({ durations, durationsForMs }) =>
    durations === null || durationsForMs === null ? [] : [{ durations, forMs: durationsForMs }],
  );
  const perSecond = counted.reduce(
    (sum, { durations, forMs }) => sum + (callsIn(durations) * 1000) / Math.max(leastCountedMs, forMs),
    0,
  );
  const all = sumOfDurations(counted.map(({ durations }) => durations));
  return { calls: callsIn(all), callsPerSecond: rounded(perSecond), p95AtMostMs: durationAtMostMs(all, slowest) };
}

function rounded(perSecond: number): number {
  return Math.round(perSecond * 100) / 100;
}

/**
 * Returns the counts of the last check if they are larger: this client's due jobs may be beyond the number of jobs that
 * were read.
 */
function atLeast(found: { due: number; lagMs: number }, check: ObservedLoad['check']): { due: number; lagMs: number } {
  if (!check) return found;
  const { due, partitions, oldestDueAt, at } = check;
  return {
    due: Math.max(found.due, Math.round((due * partitionCount) / partitions)),
    lagMs: Math.max(found.lagMs, oldestDueAt ? at.getTime() - oldestDueAt.getTime() : 0),
  };
}

function worstFirst(a: Endpoint, b: Endpoint): number {
  const rank = ({ circuitOpenSince }: Endpoint) => (circuitOpenSince === null ? 1 : 0);
  return rank(a) - rank(b) || b.lagMs - a.lagMs || b.due + b.sidelined - a.due - a.sidelined;
}
