import { pino } from 'pino';
import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import {
  batchCall,
  statusQuery,
  type BatchCall,
  type StatusQuery,
} from '../../shared/contracts/endpoints/batch-actions.ts';
import type { ActionTypeConfig } from '../../shared/contracts/endpoints/action-type-config.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { stepMessage, type StepMessage } from '../../shared/contracts/messages/messages.ts';
import { referenceMessages } from '../../shared/contracts/messages/step-references.ts';
import { topicNames, type Shard } from '../../shared/domain/endpoint/shard.ts';
import type { BatchAnswer, BatchEndpoint, BatchRequest } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import type { UnstartedSteps } from '../../services/worker/intake/unstarted-steps.port.ts';
import { leaseMs, someUsers, startFedRun } from './conformance/execution-subject.ts';
import { createMemoryDeadLetters } from './memory/dead-letters.ts';
import { createMemoryEndpointGuards } from './memory/endpoint-guards.ts';
import { createMemoryExecutionStores } from './memory/execution-stores.ts';
import { createMemoryBus } from './memory/memory-bus.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryRateShares } from './memory/rate-shares.ts';
import type { StepLedger } from '../../shared/ports/step-ledger.ts';
import { createMemoryStepLedger } from './memory/step-ledger.ts';
import { totalsOf } from './memory/totals.ts';
import { createSettableClock } from './settable-clock.ts';

export interface SeenCall extends BatchRequest {
  call: BatchCall;
}

/** An endpoint that records its calls and answers as the test says; by default, all users succeed. */
export interface ScriptedEndpoint extends BatchEndpoint {
  readonly seen: SeenCall[];
  answer: (seen: SeenCall) => BatchAnswer | Promise<BatchAnswer>;
  /** Recorded status queries, and the answers to them: all users succeeded, unless a test sets others. */
  readonly requested: StatusQuery[];
  status: (query: StatusQuery) => BatchAnswer | Promise<BatchAnswer>;
}

export function createScriptedEndpoint(): ScriptedEndpoint {
  const script: ScriptedEndpoint = {
    seen: [],
    answer: ({ call }) => answerOf(call.users.map((id) => ({ id, status: 'succeeded' }))),
    call: (request) => {
      const seen = { ...request, call: batchCall.parse(JSON.parse(request.body.toString('utf8'))) };
      script.seen.push(seen);
      return Promise.resolve(script.answer(seen));
    },
    requested: [],
    status: ({ users }) => answerOf(users.map((id) => ({ id, status: 'succeeded' }))),
    askStatus: ({ body }) => {
      const query = statusQuery.parse(JSON.parse(body.toString('utf8')));
      script.requested.push(query);
      return Promise.resolve(script.status(query));
    },
  };
  return script;
}

export function answerOf(results: readonly unknown[]): BatchAnswer {
  return { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from(JSON.stringify({ results })) };
}

/** Returns an answer in which these users failed and all others succeeded. */
export function answerWithFailures({ call }: SeenCall, ids: readonly string[], failure: object = {}): BatchAnswer {
  const failed = { status: 'failed', code: 'out-of-stock', ...failure };
  return answerOf(call.users.map((id) => (ids.includes(id) ? { id, ...failed } : { id, status: 'succeeded' })));
}

export interface WorkerFixtureOptions {
  /** Changes of both action types. */
  type?: Partial<ActionTypeConfig>;
  /** Configuration of the check `caps`. */
  check?: Partial<ActionTypeConfig>;
  /** Calls in flight over all action types. */
  concurrency?: number;
  /** Partitions of each shard's topic. */
  partitions?: number;
}

/**
 * Returns the ledger without handing on: each step goes through its topic, as if the worker had no room for the next
 * one.
 */
export function withoutHandOn(ledger: StepLedger): StepLedger {
  return { ...ledger, flush: (flush) => ledger.flush({ ...flush, handOn: undefined }) };
}

/** Returns the ledger without timed steps: waiting steps return only by the agenda, as if their worker had died. */
export function withoutTimedSteps(ledger: StepLedger): StepLedger {
  return { ...ledger, flush: (flush) => ledger.flush({ ...flush, timedWithinMs: undefined }) };
}

/** With this port, steps are only done because of messages. */
export const nothingUnstarted: UnstartedSteps = { find: () => Promise.resolve([]) };

const topics = topicNames('muster');
const countries = ['SG', 'ID'];
const actions = ['award-reward', 'send-message'];

/**
 * Creates the surroundings of a worker in memory: two action types in two countries. Time stands still until a test
 * moves it.
 */
export function createWorkerFixture({ type = {}, check = {}, ...options }: WorkerFixtureOptions = {}) {
  const { concurrency = 10, partitions = 2 } = options;
  const clock = createSettableClock(Date.now());
  const database = createMemoryDatabase(clock);
  const shards = new Map<string, Shard>(
    countries.flatMap((country) =>
      actions.map((actionType) => [topics.shard({ actionType, country }), { actionType, country }]),
    ),
  );
  // The lanes hold all messages, because these tests are about the worker's order of its work.
  const bus = createMemoryBus({ topics: [...shards.keys()], partitions, laneHighMark: 1000 });
  const publisher = bus.publisher();
  const endpoint = createScriptedEndpoint();
  const subject = createMemoryExecutionStores({ database });
  const { sweep } = subject;
  const actionType = { url: 'http://endpoint', class: 'B', maxAttempts: 3, ...type };
  const config = engineConfig.parse({
    countries,
    segmentation: { url: 'http://segments' },
    actionTypes: {
      ...Object.fromEntries(actions.map((action) => [action, actionType])),
      caps: { url: 'http://caps', class: 'A', check: true, maxAttempts: 3, ...check },
    },
  });

  function workerDeps(owner: string) {
    return {
      consumer: bus.consumer('muster.worker', [...shards.keys()]),
      publisher: bus.publisher(),
      ledger: createMemoryStepLedger({ database, owner, leaseMs }),
      contexts: subject.contexts,
      unstarted: subject.unstarted,
      holds: subject.holds,
      guards: createMemoryEndpointGuards({ database, owner }),
      rateShares: createMemoryRateShares({ database, owner }),
      endpoint,
      deadLetters: createMemoryDeadLetters({ database }),
      shards,
      topics,
      config,
      leaseMs,
      concurrency,
      clock,
      random: () => 0.5,
      logger: pino({ level: 'silent' }),
    };
  }

  const topicOf = (step: number, country = 'SG') => topics.shard({ actionType: actions[step - 1] ?? '', country });

  function publish(message: StepMessage): Promise<void> {
    const country = database.feeds.get(message.feedId)?.country;
    return publisher.publish([{ topic: topicOf(message.step, country), value: JSON.stringify(message) }]);
  }

  /** Creates a running run of two steps, feeds these batches and publishes them in messages of `refsPerMessage`. */
  async function feed(
    batches: readonly (readonly string[])[],
    { refsPerMessage = 10, ...changes }: Partial<CampaignDefinition> & { refsPerMessage?: number } = {},
  ) {
    const fed = await startFedRun(subject, batches, changes);
    for (let from = 0; from < batches.length; from += refsPerMessage) {
      const refs = fed.steps.slice(from, from + refsPerMessage);
      const remaining = refs.map(({ batchNo }) => batches[batchNo - 1]?.length ?? 0);
      await publish({ feedId: fed.feedId, step: 1, batchNos: refs.map(({ batchNo }) => batchNo), remaining });
    }
    const totals = () => totalsOf(database, fed.feedId);
    return { ...fed, totals };
  }

  /** Offers steps again that are due or past their lease, as the trigger does. */
  async function sweepOverdue(runId: string): Promise<void> {
    const feeds = [...database.feeds.values()]
      .filter((row) => row.runId === runId)
      .map(({ feedId }) => ({ feedId, chainLength: actions.length }));
    for (const feed of feeds) await sweep.examine(feed, { from: 1, limit: 1000, unrecorded: [] });
    for (const { feedId: of, step, ...reference } of (await sweep.due(feeds, 1000, [])).offers) {
      for (const value of referenceMessages({ feedId: of, step }, [reference], 1)) {
        await publish(stepMessage.parse(JSON.parse(value)));
      }
    }
  }

  return {
    clock,
    database,
    bus,
    publisher,
    endpoint,
    topicOf,
    workerDeps,
    feed,
    publish,
    sweepOverdue,
    messages: (step: number): StepMessage[] =>
      bus.messages(topicOf(step)).map(({ value }) => stepMessage.parse(JSON.parse(value))),
    stepRows: (step: number) => [...database.steps.values()].filter((row) => row.step === step),
    failures: () => database.failures.map(({ user, step, outcome, reason }) => ({ user, step, outcome, reason })),
    someUsers,
  };
}
