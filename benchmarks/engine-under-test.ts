import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { startChild, type Child } from './child.ts';
import { actionTypeConfig, type EngineConfig } from '../shared/contracts/engine-config.ts';
import { topicNames } from '../shared/domain/shard.ts';
import { createKafka } from '../shared/kafka/connection.ts';
import { createTopicAdmin } from '../shared/kafka/topic-admin.ts';
import { createCampaignStore } from '../services/api/postgres/campaign-store.ts';
import { migrate } from '../shared/postgres/migrate.ts';
import { createLogger } from '../shared/runtime/logger.ts';

const country = 'SG';
const topicPrefix = 'bench';
const pollMs = 50;

/** How a chain's two endpoints answer, and how many calls of both steps together are in flight. */
export interface Variant {
  form: 'full' | 'compact';
  latencyMs: number;
  inFlight: number;
}

export interface EngineUnderTest {
  readonly worker: Child;
  readonly trigger: Child;
  /** Runs a two-step campaign over `users` users; seconds from its first recorded batch to its last. */
  runCampaign(users: number, variant: Variant): Promise<number>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  databaseUrl: string;
  brokers: readonly string[];
  stubUrl: string;
  variants: readonly Variant[];
}

/** Scheduler, trigger and one worker as processes of their own, as they run in production. */
export async function startEngine(options: EngineOptions): Promise<EngineUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const configFile = join(folder, 'engine.json');
  const config = engineConfigFor(options);
  writeFileSync(configFile, JSON.stringify(config));
  await migrate(options.databaseUrl);
  await createTopics(options, config);

  const environment = {
    DATABASE_URL: options.databaseUrl,
    KAFKA_BROKERS: options.brokers.join(','),
    MUSTER_CONFIG: configFile,
    MUSTER_TOPIC_PREFIX: topicPrefix,
    WORKER_CONCURRENCY: String(Math.max(...options.variants.map(({ inFlight }) => inFlight))),
    LOG_LEVEL: 'warn',
  };
  const [scheduler, trigger, worker] = ['scheduler', 'trigger', 'worker'].map((name) =>
    startChild(join(import.meta.dirname, `../services/${name}/main.ts`), environment),
  );
  if (!scheduler || !trigger || !worker) throw new Error('a service did not start');
  const pool = new Pool({ connectionString: options.databaseUrl, max: 2 });
  return {
    worker,
    trigger,
    runCampaign: (users, variant) => runCampaign(pool, users, variant),
    stop: async () => {
      await Promise.all([scheduler, trigger, worker].map((child) => child.stop()));
      await pool.end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A variant's topics and call limits are its own, so its action types are too. */
function actionOf(step: 1 | 2, { form, latencyMs, inFlight }: Variant): string {
  return `step-${step}-${form}-${latencyMs}-${inFlight}`;
}

function engineConfigFor({ stubUrl, variants }: EngineOptions): EngineConfig {
  const actionTypes: EngineConfig['actionTypes'] = {};
  for (const variant of variants) {
    for (const step of [1, 2] as const) {
      actionTypes[actionOf(step, variant)] = actionTypeConfig.parse({
        url: `${stubUrl}/batches/${variant.form}/${variant.latencyMs}`,
        class: 'A',
        answerForm: variant.form,
        concurrency: variant.inFlight / 2,
      });
    }
  }
  return {
    countries: [country],
    segmentation: { url: stubUrl, timeoutMs: 10_000, pageSize: 1000 },
    actionTypes,
    partitionsPerShard: 6,
    replicationFactor: 1,
  };
}

async function createTopics({ brokers }: EngineOptions, config: EngineConfig): Promise<void> {
  const topics = topicNames(topicPrefix);
  const kafka = createKafka({ brokers: [...brokers], clientId: 'bench', logger: createLogger('bench', 'warn') });
  const admin = createTopicAdmin({ kafka });
  const names = [
    topics.fires,
    ...Object.keys(config.actionTypes).map((actionType) => topics.shard({ actionType, country })),
  ];
  await admin.ensureTopics(
    names.map((topic) => ({
      topic,
      partitions: config.partitionsPerShard,
      replicationFactor: config.replicationFactor,
    })),
  );
  await admin.close();
}

async function runCampaign(pool: Pool, users: number, variant: Variant): Promise<number> {
  const campaigns = createCampaignStore({ pool });
  const { campaignId } = await campaigns.create({
    name: `bench ${users} ${variant.form} ${variant.latencyMs} ${variant.inFlight}`,
    countries: [country],
    audience: { include: [{ segment: String(users) }] },
    chain: [1, 2].map((step) => ({ action: actionOf(step === 1 ? 1 : 2, variant), params: { units: 2 } })),
    schedule: { type: 'now' },
    deadlineSeconds: 3600,
    priority: 'normal',
  });
  await campaigns.start(campaignId, null);

  let firstRecordedAt: number | undefined;
  for (;;) {
    const { started, ended } = await lookAtRun(pool, campaignId);
    const at = performance.now();
    if (started) firstRecordedAt ??= at;
    if (ended >= users && firstRecordedAt !== undefined) return (at - firstRecordedAt) / 1000;
    await wait(pollMs);
  }
}

async function lookAtRun(pool: Pool, campaignId: string): Promise<{ started: boolean; ended: number }> {
  const { rows } = await pool.query<{ step: number; succeeded: string }>({
    name: 'bench-look',
    text: `select t.step, sum(t.succeeded)::text as succeeded
           from runs r join feeds f on f.run = r.id join run_totals t on t.feed = f.feed
           where r.campaign = $1 group by t.step`,
    values: [campaignId],
  });
  const last = rows.find((row) => row.step === 2);
  return { started: rows.length > 0, ended: Number(last?.succeeded ?? 0) };
}
