import type { FeedStore } from '../../services/trigger/ports/feed-store.ts';
import { createTrigger, type TriggerDeps } from '../../services/trigger/trigger.ts';
import { createWorker } from '../../services/worker/assemble-worker.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createMemoryCampaignStore } from '../support/memory/campaign-store.ts';
import { createMemoryLetterPublisher, createMemoryLetterReplays } from '../support/memory/dead-letters.ts';
import { createMemoryFeedStore } from '../support/memory/feed-store.ts';
import { insertRun } from '../support/memory/insert-run.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';
import { createMemoryOutboxSweep } from '../support/memory/outbox-sweep.ts';
import { createMemoryReconciliation } from '../support/memory/reconciliation.ts';
import { createMemoryRegistrySource, createMemoryShardStore, seedMemoryRegistry } from '../support/memory/registry.ts';
import { createMemoryRetention } from '../support/memory/retention.ts';
import { createMemoryRunApprovals } from '../support/memory/run-approvals.ts';
import { createMemoryRunHistory } from '../support/memory/run-history.ts';
import { createMemoryRunStore } from '../support/memory/run-store.ts';
import { createMemoryStepEndings } from '../support/memory/step-endings.ts';
import { createMemoryStoredAudiences } from '../support/memory/stored-audiences.ts';
import { totalsOf } from '../support/memory/totals.ts';
import { passTime } from '../support/pass-time.ts';
import { answerOf, createWorkerFixture } from '../support/worker-fixture.ts';
import { createSimulatedSegmentation } from './simulated-segmentation.ts';
import { batchesOf } from './three-workers.ts';

const timeoutMs = 10_000;
const partitions = 4;

export interface FedNeighboursOptions {
  slots: number;
  /** Milliseconds until the endpoint answers a call of a campaign with this reward; null if it never does. */
  answersAfterMs: (rewardId: unknown) => number | null;
}

/** Starts a worker and one or more triggers with batches of one user. The endpoint hangs for some campaigns. */
export async function startFedNeighbours({ slots, answersAfterMs }: FedNeighboursOptions) {
  const type = { class: 'A' as const, concurrency: slots, timeoutMs, batchSize: 1 };
  const fixture = createWorkerFixture({ type, concurrency: 2 * slots, partitions });
  const { clock, database, bus, endpoint } = fixture;
  const { config, ...worker } = fixture.workerDeps('w');
  const { topics, logger, random } = worker;
  seedMemoryRegistry(database, { actionTypes: config.actionTypes, partitionsPerShard: partitions });
  endpoint.answer = async ({ call }) => {
    const answersMs = answersAfterMs(call.action.params['rewardId']);
    await clock.sleep(answersMs ?? timeoutMs);
    if (answersMs === null) return { kind: 'ambiguous', cause: 'no answer within 10 s', timedOut: true };
    return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
  };
  const audiences = new Map<string, string[]>();
  const changes = createMemoryChangeFeed();
  const feedStore = createMemoryFeedStore({ database });
  let claims = '';
  const claim: FeedStore['claim'] = (owner, ...terms) =>
    owner === claims ? feedStore.claim(owner, ...terms) : Promise.resolve([]);
  const triggerDeps = (owner: string): TriggerDeps => ({
    owner,
    topics,
    logger,
    random,
    clock,
    changes,
    publisher: bus.publisher(),
    leases: createMemoryLeases({ database }),
    runStore: createMemoryRunStore({ database }),
    runApprovals: createMemoryRunApprovals(),
    runHistory: createMemoryRunHistory({ database }),
    feedStore: { ...feedStore, claim },
    outboxSweep: createMemoryOutboxSweep({ database }),
    stepEndings: createMemoryStepEndings({ database }),
    segmentation: createSimulatedSegmentation((segment) => audiences.get(segment) ?? []),
    storedAudiences: createMemoryStoredAudiences({ database }),
    topicBacklogs: bus.backlogs('muster.worker'),
    letterReplays: createMemoryLetterReplays({ database }),
    letterPublisher: createMemoryLetterPublisher({ publisher: bus.publisher() }),
    reconciliation: createMemoryReconciliation({ database }),
    retention: createMemoryRetention({ database }),
    retentionDays: { users: 14, receipts: 7, steps: 30, failures: 90, runs: 400, audiences: 30 },
    topicAdmin: bus.admin,
    shards: createMemoryShardStore({ database }),
    registry: createRegistryReader({ registry: createMemoryRegistrySource({ database }), changes, clock, logger }),
    topicTerms: { partitions, replicationFactor: 1 },
    pageSize: 10,
    concurrencyOf: () => slots,
    feedLeaseMs: 15_000,
    stallMs: 5000,
  });

  /** Starts a trigger. From then on it claims all new feeds, and earlier triggers keep theirs. */
  function startTrigger(owner: string): void {
    claims = owner;
    createTrigger(triggerDeps(owner)).start();
  }

  startTrigger('t');
  await createWorker({ ...worker, config }).start();
  const campaigns = createMemoryCampaignStore({ database });

  /** Starts a campaign of this many batches in one country. */
  async function start(name: string, rewardId: string, batches: number) {
    audiences.set(name, batchesOf(name, batches).flat());
    const { campaignId, revision } = await campaigns.create(
      campaignDefinitionOf({
        countries: ['SG'],
        audience: { include: [{ segment: name }] },
        chain: [{ action: 'award-reward', params: { rewardId } }],
        deadlineSeconds: 86_400,
      }),
    );
    const { runId } = insertRun(database, { campaignId, revision, scheduledFor: clock.now() });
    const feedId = () => [...database.feeds.values()].find((row) => row.runId === runId)?.feedId;
    const totals = () => totalsOf(database, feedId() ?? '')[0];
    return {
      runId,
      served: () => totals()?.succeeded ?? 0,
      /** Returns the number of fed batches that are neither done nor waiting. */
      ready: () => {
        const fed = [...database.batches.values()].filter((row) => row.feedId === feedId() && row.batchNo < 2 ** 30);
        const steps = [...database.steps.values()].filter(({ feedId: of }) => of === feedId());
        return fed.length - steps.filter(({ state }) => state !== 'running').length;
      },
    };
  }

  async function passUntil(isMet: () => boolean, withinMs: number): Promise<number> {
    const beginMs = clock.nowMs();
    while (!isMet() && clock.nowMs() - beginMs < withinMs) await passTime(clock, 50);
    return clock.nowMs() - beginMs;
  }

  return { clock, start, startTrigger, pass: (ms: number) => passTime(clock, ms), passUntil };
}
