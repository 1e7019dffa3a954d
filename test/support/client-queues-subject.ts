import { claimedJob } from './claimed-job.ts';
import type { StoredPriority } from '../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../shared/domain/priorities.ts';
import { createClientQueues, type ClientQueues } from '../../services/dispatcher/client-queues.ts';
import { creditOf } from '../../services/dispatcher/credit.ts';
import type { ReceivedReference } from '../../services/dispatcher/jobs/received-reference.ts';
import { heldJobOf, type HeldJob } from '../../services/dispatcher/jobs/held-job.ts';
import type { RouteCallEnd } from '../../services/dispatcher/routes/route-lines.ts';
import { createSettableClock } from './settable-clock.ts';

/** Lease of each job. */
export const leaseMs = 60_000;
export const answered: RouteCallEnd = { end: 'answered', pressure: null, retryAfterMs: null };

/** Creates queues of clients whose calls end when the test says so. */
export function clientQueuesSubject({
  concurrency = 100,
  ofClient = 10,
  ownerOf = (clientId: string) => clientId,
  ratePerSecondOf = (_clientId: string) => Infinity,
} = {}) {
  const clock = createSettableClock();
  const started: HeldJob[] = [];
  /** Priority of each job. */
  const priorityOf = new Map<string, Priority>();
  /** Slots of clients that differ from the default. */
  const slots = new Map<string, number>();
  const concurrencyOf = (clientId: string) => slots.get(clientId) ?? ofClient;
  const queues: ClientQueues = createClientQueues({
    concurrency,
    concurrencyOf,
    ownerOf,
    ratePerSecondOf,
    clock,
    start: (job, done) => {
      if (isWarming) {
        done(answered);
        return;
      }
      started.push(job);
      calling.push({ clientId: job.clientId, done });
    },
  });
  /** Calls in flight, the oldest first. */
  const calling: { clientId: string; done: (call: RouteCallEnd | null) => void }[] = [];
  const known = new Set<string>();
  let isWarming = false;
  let number = 0;
  const received = { lane: { topic: 'muster.local.calls', partition: 0, assignment: 1 }, offset: 0 };
  const reference = (clientId: string, nth = ++number, priority?: StoredPriority): ReceivedReference => {
    return {
      partition: 0,
      dueUs: nth,
      jobId: `${nth}`,
      clientId,
      messageClientId: clientId,
      messagePosition: received,
      priority,
    };
  };
  /** Ends a first call of the client with an answer, so that its jobs may use all slots. */
  const warmUp = (clientId: string) => {
    if (known.has(clientId)) return;
    known.add(clientId);
    isWarming = true;
    queues.hold([jobOf(reference(clientId, 0))]);
    isWarming = false;
  };
  const add = (clientId: string, count: number, priority?: StoredPriority) => {
    warmUp(clientId);
    for (let adds = 0; adds < count; adds++) {
      const added = reference(clientId, undefined, priority);
      priorityOf.set(added.jobId, priority ?? 'normal');
      queues.add(added);
    }
  };
  const jobTo = (
    url: string,
    { partition, dueUs, jobId, clientId }: ReceivedReference,
    expiresInMs: number | null = null,
  ) => heldJobOf(claimedJob({ partition, dueUs, jobId, clientId, expiresInMs, url }), clock.monotonicMs(), leaseMs);
  const jobOf = (of: ReceivedReference) => jobTo('https://one.example/', of);
  /**
   * Claims the jobs that may be claimed.
   * @returns the client of each
   */
  const claim = (most = 500) => {
    const taken = queues.take(most);
    queues.hold(taken.map(jobOf));
    return taken.map(({ clientId }) => clientId);
  };
  /** Ends the oldest call of the client. */
  const end = (clientId: string, how = answered) => {
    const at = calling.findIndex((each) => each.clientId === clientId);
    for (const { done } of at < 0 ? [] : calling.splice(at, 1)) done(how);
  };
  const countOf = (clients: readonly string[], clientId: string) => clients.filter((each) => each === clientId).length;
  const credit = () => creditOf({ queues, concurrencyOf });
  return { clock, queues, started, slots, priorityOf, reference, jobOf, jobTo, add, claim, end, countOf, credit };
}

/** Creates a client with two routes, each of which has one answered call. */
export function withRoutes(ends: { busy?: RouteCallEnd } = {}) {
  const fixture = clientQueuesSubject({ ofClient: 8 });
  const { queues, jobTo, reference, end } = fixture;
  const jobOfRoute = (route: string) => jobTo(`https://one.example/${route}`, reference('shop'));
  for (const route of ['busy', 'quiet'] as const) {
    queues.hold([jobOfRoute(route)]);
    end('shop', route === 'busy' ? ends.busy : answered);
  }
  return { ...fixture, jobOfRoute };
}

/** Creates a client whose route `hangs` never answered, beside a healthy route. */
export function withHangingRoute(terms: Parameters<typeof clientQueuesSubject>[0]) {
  const fixture = clientQueuesSubject(terms);
  const { clock, queues, jobTo, reference, end } = fixture;
  const jobsOf = (route: string, count: number, expiresInMs: number | null = null) =>
    Array.from({ length: count }, () => jobTo(`https://one.example/${route}`, reference('shop'), expiresInMs));
  queues.hold(jobsOf('quick', 1));
  end('shop');
  /** Starts calls that have been under way for a second. */
  const hang = (count: number) => {
    queues.hold(jobsOf('hangs', count));
    clock.advance(1000);
  };
  return { ...fixture, jobsOf, hang };
}

/** Creates a client whose slots disappear while five of its jobs are being claimed. */
export function claimWithoutSlots() {
  const fixture = clientQueuesSubject({ ofClient: 5 });
  const { queues, slots, jobOf, add } = fixture;
  add('shop', 8);
  const claims = queues.take(500);
  slots.set('shop', 0);
  queues.hold(claims.map(jobOf));
  return fixture;
}

/** Returns the counts of the queues. */
export const levelsOf = ({ queued, waiting, inFlight }: ClientQueues) => ({ queued, waiting, inFlight });
