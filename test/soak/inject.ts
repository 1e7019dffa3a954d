import { pauseRun, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { MusterProblem } from '../../sdk/muster.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import type { Injections } from '../faults/support/injections.ts';
import type { OwnKafka } from '../faults/support/own-kafka.ts';
import type { OwnPostgres } from '../faults/support/own-postgres.ts';
import type { TcpProxy } from '../faults/support/tcp-proxy.ts';
import type { Trial } from '../faults/support/trial.ts';
import { lasting, until } from '../faults/support/until.ts';
import type { FaultKind, PlannedFault } from './plan.ts';

/** Everything that a soak test can break. */
export interface Arena {
  trial: Trial;
  /** Id of the current run. */
  runId: string;
  /** Record of the faults, by their names in the plan. */
  injections: Injections;
  kafka: OwnKafka;
  postgres: OwnPostgres;
  /** Proxy between the engine and its Postgres. */
  network: TcpProxy;
}

const controls = { pause: pauseRun, resume: resumeRun };
const terminateEveryMs = 1500;
const lockedTables = ['batch_steps', 'run_totals', 'feeds', 'batches'];
const actionTypes = ['award-reward', 'send-message'];
const whole = { toServer: false, toClient: false };
const cutWays = [
  { toServer: true, toClient: true },
  { toServer: true, toClient: false },
  { toServer: false, toClient: true },
];

/** Injects one fault for its planned duration and ends it. Resolves when the affected part works again. */
export async function inject(arena: Arena, fault: PlannedFault): Promise<void> {
  const over = arena.injections.begin(fault.kind, String(fault.which));
  try {
    await injectors[fault.kind](arena, fault);
  } finally {
    over();
  }
}

type Injector = (arena: Arena, fault: PlannedFault) => Promise<void>;

const injectors: Record<FaultKind, Injector> = {
  'worker killed': killed('worker'),
  'worker stopped': async ({ trial }, fault) => {
    const name = pickOf(trial.names('worker'), fault);
    await trial.stop(name);
    await lasting(fault.lastsMs);
    await trial.restart(name);
  },
  'worker frozen': frozen('worker'),
  'all workers killed': async ({ trial }, { lastsMs }) => {
    const names = trial.names('worker');
    await trial.kill(...names);
    await lasting(lastsMs);
    await trial.restart(...names);
  },
  'trigger killed': killed('trigger'),
  'trigger frozen': frozen('trigger'),
  'scheduler killed': killed('scheduler'),
  'api killed': killed('api'),

  'broker killed': ({ kafka }, fault) => brokerKilled(kafka, pickOf(kafka.nodes, fault), fault),
  'controller killed': ({ kafka }, fault) => brokerKilled(kafka, kafka.controller(), fault),
  'broker restarted': async ({ kafka }, fault) => {
    const node = pickOf(kafka.nodes, fault);
    await kafka.stop(node);
    await kafka.start(node);
  },
  'broker frozen': async ({ kafka }, fault) => {
    const node = pickOf(kafka.nodes, fault);
    kafka.freeze(node);
    await lasting(fault.lastsMs);
    kafka.thaw(node);
  },

  'Postgres crashed': async ({ postgres }, { lastsMs }) => {
    await postgres.crash();
    await lasting(lastsMs);
    await postgres.start();
  },
  'Postgres restarted': async ({ postgres }) => {
    await postgres.stopFast();
    await postgres.start();
  },
  'Postgres frozen': async ({ postgres }, { lastsMs }) => {
    postgres.freeze();
    await lasting(lastsMs);
    postgres.thaw();
  },
  'sessions terminated': async ({ trial }, { lastsMs }) => {
    for (let passedMs = 0; passedMs < lastsMs; passedMs += terminateEveryMs) {
      await trial.database
        .rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name <> 'faults'`,
        )
        .catch(() => undefined);
      await lasting(terminateEveryMs);
    }
  },
  'table locked': async ({ trial }, fault) => {
    const sql = `lock table ${pickOf(lockedTables, fault)} in access exclusive mode`;
    const lock = await until('a table is locked', () => trial.database.hold(sql));
    await lasting(fault.lastsMs);
    await lock.release();
  },
  'network to Postgres cut': async ({ network }, fault) => {
    network.hold(pickOf(cutWays, fault));
    await lasting(fault.lastsMs);
    network.hold(whole);
  },
  'network to Postgres slow': async ({ network }, { lastsMs }) => {
    network.delay(100);
    network.resetEvery(200);
    await lasting(lastsMs);
    network.delay(0);
    network.resetEvery(0);
  },

  'topic deleted': async ({ trial }, fault) => {
    await until('a topic is deleted', () => trial.topics.delete(topicOf(trial, fault)).then(() => true));
  },
  'topic unwritable': async ({ trial }, fault) => {
    const topic = topicOf(trial, fault);
    const change = (on: boolean) =>
      until(`${topic} is changed`, () => trial.topics.writable(topic, on).then(() => true));
    await change(false);
    await lasting(fault.lastsMs);
    await change(true);
  },
  poison: async ({ trial }, fault) => {
    const poison = [Buffer.from('no JSON'), Buffer.from([0x00, 0xff, 0xfe]), null];
    await until('poison is sent', () =>
      trial.topics.produce(topicOf(trial, fault), fault.which % 4, poison).then(() => true),
    );
  },

  'run paused': async ({ trial, runId }, { lastsMs }) => {
    const { client } = trial.muster.api;
    const ask = (verb: 'pause' | 'resume') =>
      until(`the api takes ${verb}`, async () => {
        try {
          await controls[verb]({ client, path: { id: runId }, body: {} });
          return true;
        } catch (error) {
          // A run that has ended meanwhile cannot be paused, and a run that is not paused cannot be resumed.
          if (error instanceof MusterProblem && error.problem.status === 409) return true;
          throw error;
        }
      });
    await ask('pause');
    await lasting(lastsMs);
    await ask('resume');
  },

  'answers lost': rules({ calls: [{ name: 'lost', share: 0.2, answer: { kind: 'reset' } }] }),
  'half answers': rules({ calls: [{ name: 'half', share: 0.2, answer: { kind: 'half-body' } }] }),
  'applied and 500': rules({
    calls: [{ name: 'server-error', share: 0.3, answer: { kind: 'status', status: 500, applied: true } }],
  }),
  'endpoint busy': rules({
    calls: [{ name: 'busy', share: 0.5, answer: { kind: 'status', status: 429, retryAfterSeconds: 1 } }],
  }),
  'endpoint hangs': rules({ calls: [{ name: 'hang', share: 0.1, answer: { kind: 'hang' } }] }),
  'users left out': rules({
    calls: [{ name: 'left-out', share: 0.2, toAttempt: 1, answer: { kind: 'omit-users', userShare: 0.1 } }],
  }),
  'users to be retried': rules({
    calls: [
      {
        name: 'try-later',
        share: 0.2,
        services: ['rewards'],
        answer: { kind: 'fail-users', userShare: 0.1, code: 'try-later', retryable: true },
      },
    ],
  }),
  'segmentation unavailable': rules({ segmentation: [{ name: 'away', answer: { kind: 'status', status: 503 } }] }),
};

function killed(service: string): Injector {
  return async ({ trial }, fault) => {
    const name = pickOf(trial.names(service), fault);
    await trial.kill(name);
    await lasting(fault.lastsMs);
    await trial.restart(name);
  };
}

function frozen(service: string): Injector {
  return async ({ trial }, fault) => {
    const name = pickOf(trial.names(service), fault);
    trial.freeze(name);
    await lasting(fault.lastsMs);
    trial.thaw(name);
  };
}

async function brokerKilled(kafka: OwnKafka, node: number, { lastsMs }: PlannedFault): Promise<void> {
  await kafka.kill(node);
  await lasting(lastsMs);
  await kafka.start(node);
}

function rules(settings: FaultSettings): Injector {
  return async ({ trial }, { lastsMs }) => {
    await trial.switchFaults(settings);
    await lasting(lastsMs);
    await trial.switchFaults();
  };
}

function topicOf(trial: Trial, fault: PlannedFault): string {
  const topics = actionTypes.flatMap((action) => trial.muster.countries.map((country) => trial.topic(action, country)));
  return pickOf(topics, fault);
}

function pickOf<Entry>(entries: readonly Entry[], { which }: PlannedFault): Entry {
  const entry = entries[which % entries.length];
  if (entry === undefined) throw new Error('there is nothing to choose from');
  return entry;
}
