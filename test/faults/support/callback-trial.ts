import { createHash } from 'node:crypto';
import {
  addClientEndpointKey,
  createClient,
  createClientEndpoint,
  createJobs,
} from '../../../sdk/generated/sdk.gen.ts';
import type {
  NewClientEndpointInput,
  NewDefaultEndpointInput,
  NewJobsInput,
} from '../../../sdk/generated/types.gen.ts';
import type { MusterApi } from '../../e2e/muster-api.ts';
import {
  callbackViolations,
  unheardAnswers,
  type RequestedJob,
  type CallbackAllowance,
  type CallbackEvidence,
  type Occurrence,
  type ReceivedCall,
} from '../../support/callback-evidence.ts';
import { startCallbackReceiver, type CallbackReceiver } from './callback-receiver.ts';
import { storedEvidence, watchFires } from './callback-witness.ts';
import { publishFigures } from './figures.ts';
import { countOf } from './injections.ts';
import { measureCallbacks } from './measure-callbacks.ts';
import { startTrial, type Trial, type TrialOptions } from './trial.ts';
import { lasting, until } from './until.ts';

export interface WantedJobs {
  /** Number of jobs; one unless given. */
  count?: number;
  client?: string;
  /** Endpoint of the client through which jobs are called. */
  endpoint?: string;
  /** The first part of the path, by which the receiver behaves. */
  path?: string;
  /** A name for each job, in place of the receiver's address. */
  host?: (index: number) => string;
  /** From now on. */
  dueInMs?: number;
  /** The last one is due so much later than the first, the others evenly between. */
  spreadMs?: number;
  relevancySeconds?: number;
  orderingKeyOf?: (index: number) => string;
  ordering?: 'exclusive' | 'in-order';
}

export interface CallbackVerdict {
  rows: string;
  scenario: string;
  allow?: Partial<CallbackAllowance>;
  occurrences?: readonly Occurrence[];
  measured?: Record<string, number>;
  /** Number of processes that may end by themselves. */
  ownEnds?: number;
  /** Calls that other receivers of the scenario got. */
  elsewhere?: readonly ReceivedCall[];
}

/**
 * An installation with callbacks under fault, with three independent records: the database, the ledger of the receiver,
 * and the list of injected faults.
 */
export interface CallbackTrial extends Omit<Trial, 'awaitCalls'> {
  readonly receiver: CallbackReceiver;
  readonly accepted: ReadonlyMap<string, RequestedJob>;
  /** For every operation of the API. */
  readonly client: MusterApi['client'];
  /** A client of its own, that may call the receiver. */
  addClient(name: string, terms?: NewDefaultEndpointInput): Promise<{ id: string; secret: string }>;
  /** An endpoint of a client, at the receiver. */
  addEndpoint(clientName: string, name: string, rules?: Partial<NewClientEndpointInput>): Promise<void>;
  /**
   * Schedules jobs, each with an idempotency key, and repeats requests without an answer. The client is `orders` unless
   * given. Returns the ids of the accepted jobs.
   */
  schedule(wanted: WantedJobs): Promise<string[]>;
  /** Tells the witness that an answer has given the job another due time. */
  moved(jobId: string, dueAtMs: number): void;
  url(path: string, host?: string): string;
  /** Resolves when the receiver has been called so many times. */
  awaitCalls(count: number): Promise<void>;
  /** Resolves when no job is stored. */
  awaitEnded(deadlineMs?: number): Promise<void>;
  openJobs(): Promise<number>;
  /**
   * Waits until every partition has a scheduler and every dispatcher has just reported its credit, because schedulers
   * offer no job without it. Then freezes the dispatchers: for about eight seconds jobs are offered, but not claimed.
   */
  freezeTakers(): Promise<void>;
  /** Resolves when so many references to jobs lie on the topic of calls. */
  awaitOffers(count: number): Promise<void>;
  /** Returns the broken promises; publishes the scenario's figures. */
  judgeCallbacks(verdict: CallbackVerdict): Promise<string[]>;
}

/** Leases that expire within seconds, and are longer than a call (8 s) with its margin. */
export const quickCallLeases = { SCHEDULER_LEASE_MS: '3000', DISPATCHER_LEASE_MS: '12000' };
const callTimeoutMs = 8000;
const usualClient = 'orders';
/** Share of answers that may arrive too late, because on a busy machine a process may not run for seconds. */
const shareUnheard = 0.02;
/** Time after which every process signs with a new key. */
const followedWithinMs = 1500;

export type CallbackTrialOptions = Partial<TrialOptions>;

export async function startCallbackTrial(options: CallbackTrialOptions = {}): Promise<CallbackTrial> {
  const trial = await startTrial({
    workers: 0,
    triggers: 0,
    schedulers: 2,
    dispatchers: 2,
    sandbox: {},
    ...options,
    engine: { ...quickCallLeases, ...options.engine },
  });
  const receiver = await startCallbackReceiver();
  const accepted = new Map<string, RequestedJob>();
  let keys = 0;
  const { client } = trial.muster.api;
  const url = (path: string, host = '127.0.0.1') => `http://${host}:${receiver.port}/${path}`;

  async function addClient(name: string, terms: NewDefaultEndpointInput = {}) {
    const endpoint: NewDefaultEndpointInput = {
      egress: { allow: [{ cidr: '127.0.0.0/8' }] },
      retry: { strategy: 'fixed', attempts: 10, delayMs: 500 },
      sideline: { afterFailures: 1000 },
      timeoutMs: callTimeoutMs,
      ...terms,
    };
    const { id } = (await createClient({ client, body: { name, endpoint } })).data;
    const path = { id, endpoint: 'default' };
    const { secret } = (await addClientEndpointKey({ client, path, body: {} })).data;
    if (secret === null) throw new Error(`the key of ${name} has no secret`);
    await receiver.trust(secret);
    await lasting(followedWithinMs);
    return { id, secret };
  }

  async function addEndpoint(clientName: string, name: string, rules: Partial<NewClientEndpointInput> = {}) {
    const body = { name, url: url(name), ...rules };
    await createClientEndpoint({ client, path: { id: clientName }, body });
    await lasting(followedWithinMs);
  }

  async function schedule(wanted: WantedJobs): Promise<string[]> {
    const { count = 1, client: clientName = usualClient, path = 'well', host, dueInMs = 0, spreadMs = 0 } = wanted;
    const { relevancySeconds, endpoint, ordering, orderingKeyOf } = wanted;
    const nowMs = Date.now();
    const jobs = Array.from({ length: count }, (_, index) => {
      const key = `key-${++keys}`;
      // A due time in the past becomes the time of arrival.
      const dueAtMs = Math.floor(nowMs + dueInMs + (spreadMs * index) / count);
      const body = JSON.stringify({ key, note: 'grüße' });
      const relevancy = relevancySeconds === undefined ? {} : { relevancySeconds };
      const to = url(`${path}/${key}`, host?.(index));
      const requested = { url: to, dueAt: new Date(dueAtMs).toISOString(), idempotencyKey: key, body };
      const order = orderingKeyOf ? { orderingKey: orderingKeyOf(index), ...(ordering && { ordering }) } : {};
      return { job: { ...requested, ...relevancy, ...order, ...(endpoint && { endpoint }) }, dueAtMs, body };
    });
    const ids = await acceptAll({ client: clientName, jobs: jobs.map(({ job }) => job) });
    for (const [index, id] of ids.entries()) {
      const { dueAtMs = 0, body = '' } = jobs[index] ?? {};
      accepted.set(id, { dueAtMs, digest: createHash('sha256').update(body).digest('hex') });
    }
    return ids;
  }

  /** Accepts jobs like a careful client: repeats with the same keys until there is an answer. */
  async function acceptAll(body: NewJobsInput): Promise<string[]> {
    return await until('all jobs are accepted', async () => {
      const { data: answer } = await createJobs({ client, body });
      const refused = answer.results.find((result) => result.status === 'refused');
      if (refused) throw new Error(JSON.stringify(refused));
      const ids = answer.results.flatMap((result) => ('id' in result ? [result.id] : []));
      return ids.length === body.jobs.length && ids;
    });
  }

  function moved(jobId: string, dueAtMs: number): void {
    const request = accepted.get(jobId);
    if (request) accepted.set(jobId, { ...request, dueAtMs });
  }

  const openJobs = () => trial.database.count('select 1 from jobs');

  /**
   * Waits until all dispatchers have started. The installation counts as started when its API answers, and a dispatcher
   * that is still starting claims no job, and a signal would end it.
   */
  async function awaitDispatchers(): Promise<void> {
    await until('every dispatcher is there', async () => {
      const there = `select 1 from job_nodes where kind = 'dispatcher' and expires_at > now()`;
      return (await trial.database.count(there)) >= trial.names('dispatcher').length;
    });
  }

  async function freezeTakers(): Promise<void> {
    const dispatchers = trial.names('dispatcher');
    await until('all partitions are owned', async () => {
      return (await trial.database.count('select 1 from job_partitions where (expires_at > now()) is not true')) === 0;
    });
    await until('every dispatcher says what it takes', async () => {
      // A dispatcher reports its credit every two seconds, and the report is valid for ten seconds.
      const taking = `select 1 from job_nodes where kind = 'dispatcher' and default_client_credit is not null
        and expires_at > now() + interval '8 seconds'`;
      return (await trial.database.count(taking)) === dispatchers.length;
    });
    for (const name of dispatchers) trial.freeze(name);
  }

  async function awaitOffers(count: number): Promise<void> {
    const topic = `${trial.muster.topicPrefix}.local.calls`;
    await until(`${count} references on the topic`, async () => {
      const found = (await trial.topics.contents([topic])).join().match(/\[\d+,\d+,"/g)?.length ?? 0;
      if (found < count) throw new Error(`${found} references`);
      return true;
    });
  }

  async function restlessness(): Promise<string[]> {
    try {
      await until('lag is gone', async () => {
        return Object.keys(await trial.topics.lags(trial.muster.topicPrefix)).length === 0;
      });
      return [];
    } catch (error) {
      return [`I7: ${String(error)}`];
    }
  }

  async function judgeCallbacks(verdict: CallbackVerdict): Promise<string[]> {
    const { rows, scenario, allow, occurrences, measured = {}, ownEnds, elsewhere = [] } = verdict;
    const resting = await restlessness();
    const evidence: CallbackEvidence = {
      ...(await storedEvidence(trial.database)),
      accepted,
      calls: [...(await receiver.allCalls()), ...elsewhere],
      ...(occurrences && { occurrences }),
    };
    const unheard = Math.ceil(accepted.size * shareUnheard);
    const found = [...callbackViolations(evidence, { unheard, ...allow }), ...resting, ...trial.health(ownEnds)];
    const injected = trial.injections.takeNew();
    const run = measureCallbacks(evidence, injected);
    const notReceived = unheardAnswers(evidence).length;
    const late = notReceived > 0 ? { 'answers too late': notReceived } : {};
    publishFigures({
      rows,
      scenario,
      faults: countOf(injected),
      ...run,
      violations: found.length,
      measured: { ...measured, ...late },
    });
    return found.slice(0, 12);
  }

  await watchFires(trial.database);
  await awaitDispatchers();
  await addClient(usualClient);
  return {
    ...trial,
    receiver,
    accepted,
    client,
    addClient,
    addEndpoint,
    schedule,
    moved,
    url,
    openJobs,
    judgeCallbacks,
    freezeTakers,
    awaitOffers,
    awaitCalls: (count) => until(`${count} calls`, () => receiver.calls().length >= count).then(() => undefined),
    awaitEnded: async (deadlineMs = 90_000) => {
      await until('all jobs have ended', async () => (await openJobs()) === 0, deadlineMs);
    },
    end: async () => {
      await trial.end();
      await receiver.end();
    },
  };
}
