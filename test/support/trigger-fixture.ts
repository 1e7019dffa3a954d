import { pino } from 'pino';
import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { actionTypeConfig } from '../../shared/contracts/endpoints/action-type-config.ts';
import { stepMessage, type StepMessage } from '../../shared/contracts/messages/messages.ts';
import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { compareUserIds } from '../../shared/domain/ids/user-id.ts';
import { readPlainPage } from '../../shared/http-client/plain-page.ts';
import type { PageRequest, Segmentation, SegmentationFailure } from '../../shared/ports/segmentation.ts';
import type { TopicBacklogs } from '../../shared/ports/message-bus.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import type { ClaimedStep } from '../../shared/ports/step-ledger.ts';
import { doneOf, waitingOf } from './conformance/execution-subject.ts';
import { campaignDefinitionOf } from './conformance/run-rows.ts';
import { createMemoryCampaignStore } from './memory/campaign-store.ts';
import { createMemoryFeedStore } from './memory/feed-store.ts';
import { createMemoryLeases } from './memory/leases.ts';
import { createMemoryBus } from './memory/memory-bus.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryOutboxSweep } from './memory/outbox-sweep.ts';
import { createMemoryLetterPublisher, createMemoryLetterReplays } from './memory/dead-letters.ts';
import { createMemoryChangeFeed } from './memory/change-feed.ts';
import { createMemoryRegistrySource, createMemoryShardStore, seedMemoryRegistry } from './memory/registry.ts';
import { createMemoryReconciliation } from './memory/reconciliation.ts';
import { createMemoryRetention } from './memory/retention.ts';
import { insertRun } from './memory/insert-run.ts';
import type { RunRow } from './memory/run-tables.ts';
import { createMemoryRunApprovals } from './memory/run-approvals.ts';
import { createMemoryRunHistory } from './memory/run-history.ts';
import { createMemoryRunStore } from './memory/run-store.ts';
import { createMemoryStepEndings } from './memory/step-endings.ts';
import { createMemoryStoredAudiences } from './memory/stored-audiences.ts';
import { createMemoryStepLedger } from './memory/step-ledger.ts';
import { settled } from './pass-time.ts';
import { createSettableClock } from './settable-clock.ts';

/** Segments by country, whose answers the test sets. */
export interface ScriptedSegmentation extends Segmentation {
  snapshot: string;
  /** Users by country, in ascending order. */
  readonly users: Map<string, string[]>;
  readonly pagesRequested: PageRequest[];
  /** Failure of all requests while it is set. */
  failure: SegmentationFailure | null;
  /** Failure of requests for pages while it is set. */
  pageFailure: SegmentationFailure | null;
  /** Page limit that the pages report. */
  maxLimit: number | undefined;
  /** Changes the users of a page before it is returned. */
  tamper: ((users: string[]) => string[]) | null;
}

export function createScriptedSegmentation(): ScriptedSegmentation {
  const script: ScriptedSegmentation = {
    snapshot: 's1',
    users: new Map(),
    pagesRequested: [],
    failure: null,
    pageFailure: null,
    maxLimit: undefined,
    tamper: null,
    describe: (segment, country) => {
      const { failure, users, snapshot } = script;
      if (failure) return Promise.resolve({ ok: false, failure });
      const estimate = users.get(country)?.length ?? 0;
      return Promise.resolve({ ok: true, value: { id: segment, country, estimate, snapshot } });
    },
    page: (request) => {
      const { tamper, maxLimit } = script;
      const failure = script.failure ?? script.pageFailure;
      script.pagesRequested.push(request);
      if (failure) return Promise.resolve({ ok: false, failure });
      if (request.snapshot !== script.snapshot) return Promise.resolve({ ok: false, failure: failureOf('gone') });
      const { after, limit } = request;
      const all = script.users.get(request.country) ?? [];
      const first = after === null ? 0 : all.findIndex((user) => compareUserIds(user, after) > 0);
      const users = first < 0 ? [] : all.slice(first, first + limit);
      const next = first + users.length < all.length ? (users.at(-1) ?? null) : null;
      const page = { users: tamper ? tamper(users) : users, next, maxLimit };
      // Reads the page like the client of the service, which usually does not parse it.
      return Promise.resolve({ ok: true, value: readPlainPage(Buffer.from(JSON.stringify(page))) ?? page });
    },
  };
  return script;
}

export function failureOf(kind: SegmentationFailure['kind'], retryAfterMs: number | null = null): SegmentationFailure {
  return { kind, cause: `scripted ${kind}`, retryAfterMs };
}

export function userIds(count: number, prefix = 'user'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(6, '0')}`);
}

/** Returns the port with its next call of one method rejected. */
export function failingOnce<Port extends object>(port: Port, verb: keyof Port): Port {
  let failed = false;
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== verb || failed) return member;
      failed = true;
      return () => Promise.reject(new Error('scripted failure'));
    },
  });
}

/** Returns the port without any effect or answer once its process is dead. */
export function mortal<Port extends object>(port: Port, isDead: () => boolean): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        isDead() ? new Promise(() => undefined) : Reflect.apply(member, target, args);
    },
  });
}

const topics = topicNames('muster');
const knownTypes = Object.fromEntries(
  ['award-reward', 'award-points', 'send-message'].map((name) => [
    name,
    actionTypeConfig.parse({ url: 'http://endpoint', class: 'B' }),
  ]),
);
const shards = ['SG', 'ID'].map((country) => topics.shard({ actionType: 'award-reward', country }));

/**
 * Creates the surroundings of a trigger in memory, with a chain of one step. Time stands still until a test moves it.
 */
export function createTriggerFixture() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  seedMemoryRegistry(database, { actionTypes: knownTypes, partitionsPerShard: 3 });
  const bus = createMemoryBus({ topics: shards, partitions: 3 });
  const segmentation = createScriptedSegmentation();
  const campaigns = createMemoryCampaignStore({ database });
  const ledger = createMemoryStepLedger({ database, owner: 'worker', leaseMs: 30_000 });
  const workedOff = new Set<string>();
  /** Backlogs by topic. Missing topics are unknown. */
  const backlogs = new Map<string, number | null>();
  /** The feed reports no changes until a test restores it. Tests announce changes themselves. */
  const changes = createMemoryChangeFeed();
  changes.lose();
  const topicBacklogs: TopicBacklogs = { unhandled: () => Promise.resolve(new Map(backlogs)) };

  function triggerDeps(owner: string) {
    return {
      publisher: bus.publisher(),
      runStore: createMemoryRunStore({ database }),
      runApprovals: createMemoryRunApprovals(),
      runHistory: createMemoryRunHistory({ database }),
      feedStore: createMemoryFeedStore({ database }),
      outboxSweep: createMemoryOutboxSweep({ database }),
      leases: createMemoryLeases({ database }),
      segmentation,
      storedAudiences: createMemoryStoredAudiences({ database }),
      stepEndings: createMemoryStepEndings({ database }),
      letterReplays: createMemoryLetterReplays({ database }),
      letterPublisher: createMemoryLetterPublisher({ publisher: bus.publisher() }),
      reconciliation: createMemoryReconciliation({ database }),
      retention: createMemoryRetention({ database }),
      retentionDays: { users: 14, receipts: 7, steps: 30, failures: 90, runs: 400, audiences: 30 },
      topicAdmin: bus.admin,
      topicBacklogs,
      topics,
      shards: createMemoryShardStore({ database }),
      registry: createRegistryReader({
        registry: createMemoryRegistrySource({ database }),
        changes,
        clock,
        logger: pino({ level: 'silent' }),
      }),
      topicTerms: { partitions: 3, replicationFactor: 1 },
      owner,
      pageSize: 1000,
      concurrencyOf: () => 100,
      feedLeaseMs: 15_000,
      stallMs: 5000,
      changes,
      clock,
      random: () => 0.5,
      logger: pino({ level: 'silent' }),
    };
  }

  /** Starts a campaign in one country, with a run that was just created and has these settings. */
  async function startCampaign(
    changes: Partial<CampaignDefinition> = {},
    settings: RunRow['settings'] = {},
  ): Promise<{ campaignId: string; runId: string }> {
    const chain = [{ action: 'award-reward', params: {} }];
    const record = await campaigns.create(campaignDefinitionOf({ countries: ['SG'], chain, ...changes }));
    const { campaignId, revision } = record;
    const { runId } = insertRun(database, { campaignId, revision, scheduledFor: clock.now(), settings });
    return { campaignId, runId };
  }

  const references = (country: string): StepMessage[] =>
    bus
      .messages(topics.shard({ actionType: 'award-reward', country }))
      .map(({ value }) => stepMessage.parse(JSON.parse(value)));

  /** Claims all steps on the topics of the shards that this function has not claimed before. */
  async function claimAll(limit: number): Promise<ClaimedStep[]> {
    const open = ['SG', 'ID']
      .flatMap(references)
      .flatMap(({ feedId, step, batchNos }) => batchNos.map((batchNo) => ({ feedId, step, batchNo })))
      .filter(({ feedId, batchNo }) => !workedOff.has(`${feedId}/${batchNo}`))
      .slice(0, limit);
    for (const { feedId, batchNo } of open) workedOff.add(`${feedId}/${batchNo}`);
    return (await ledger.flush({ results: [], claims: open, begins: [] })).claimed;
  }

  /** Completes all steps on the topics of the shards that are not done, like a worker: all users succeed. */
  async function workOff(limit = Infinity): Promise<void> {
    const results = (await claimAll(limit)).map((claimed) => doneOf(claimed));
    await ledger.flush({ results, claims: [], begins: [] });
    await settled();
  }

  /** Releases all of these steps for this long. */
  async function putAllBack(delayMs: number): Promise<void> {
    const results = (await claimAll(Infinity)).map((claimed) => waitingOf(claimed, { delayMs, cause: 'HTTP 404' }));
    await ledger.flush({ results, claims: [], begins: [] });
    await settled();
  }

  const feedRows = () => [...database.feeds.values()];

  return {
    clock,
    database,
    bus,
    segmentation,
    backlogs,
    ledger,
    changes,
    triggerDeps,
    startCampaign,
    references,
    workOff,
    putAllBack,
    feedRows,
    runs: () => [...database.runs.values()],
    /** Returns the users of all fed batches of a country, in the order of batches. */
    fedUsers: (country: string): string[] => {
      const feedIds = new Set(feedRows().flatMap((row) => (row.country === country ? [row.feedId] : [])));
      return [...database.batches.values()].filter(({ feedId }) => feedIds.has(feedId)).flatMap(({ users }) => users);
    },
  };
}
