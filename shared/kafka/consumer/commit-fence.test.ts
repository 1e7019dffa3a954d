import { createRequire } from 'node:module';
import kafkajs, { type Broker } from 'kafkajs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createAnswerWatch } from '../client/answer-watch.ts';
import { createKafka } from '../client/connection.ts';
import { createCommitFence } from './commit-fence.ts';
import { steerCluster } from './steer-cluster.ts';

const { KafkaJSConnectionError, KafkaJSProtocolError } = kafkajs;
const refusal = { message: 'refused', type: 'COORDINATOR_LOAD_IN_PROGRESS', code: 14, retriable: true };
const request = { groupId: 'orders', groupGenerationId: 2, memberId: 'm', topics: [] };
const kafka = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger: pino({ level: 'silent' }) });
const unused = () => Promise.reject(new Error('not used here'));

/** Retries a commit as kafkajs does, with shorter pauses. */
function repeatAsKafkajs(attempt: () => Promise<void>): Promise<void> {
  const load = createRequire(import.meta.url);
  const createRetry: unknown = load('kafkajs/src/retry/index.js');
  if (typeof createRetry !== 'function') throw new Error('kafkajs has no retry as in version 2.2.4');
  const repeat: unknown = Reflect.apply(createRetry, undefined, [{ retries: 3, initialRetryTime: 1, maxRetryTime: 1 }]);
  if (typeof repeat !== 'function') throw new Error('kafkajs has no retry as in version 2.2.4');
  return Promise.resolve(Reflect.apply(repeat, undefined, [attempt])).then(() => undefined);
}

/** Creates a coordinator without a network, as a consumer of the group sees it. It refuses a number of commits. */
function givenCoordinator({ refusals }: { refusals: number }) {
  const fence = createCommitFence();
  let received = 0;
  const requests = { joinGroup: unused, syncGroup: unused, heartbeat: unused };
  const coordinator: Broker = {
    ...requests,
    isConnected: () => true,
    connect: unused,
    disconnect: unused,
    apiVersions: unused,
    metadata: unused,
    describeGroups: unused,
    offsetFetch: unused,
    fetch: unused,
    produce: unused,
    alterPartitionReassignments: unused,
    listPartitionReassignments: unused,
    offsetCommit: () => {
      received += 1;
      const error = new KafkaJSProtocolError(Object.assign(new Error(refusal.message), refusal));
      return received <= refusals ? Promise.reject(error) : Promise.resolve();
    },
  };
  const cluster = {
    ...kafka.cluster(),
    findGroupCoordinator: () => Promise.resolve(coordinator),
    findBroker: () => Promise.resolve(coordinator),
    fetchTopicsOffset: () => Promise.resolve([]),
    refreshMetadata: () => Promise.resolve(),
  };
  const fetching = () => ({ minBytes: 1, maxWaitTime: 1 });
  const clock = createSettableClock();
  const fetches = createAnswerWatch(clock);
  steerCluster(cluster, { fetching, fetches, isCommitCurrent: () => fence.isCurrent, clock });
  const send = async () => {
    const broker = await cluster.findBroker();
    await broker.offsetCommit(request);
  };
  return { fence, send, received: () => received };
}

describe('a commit of offsets', () => {
  it('is sent once, although kafkajs would repeat a failed commit', async () => {
    const { fence, send, received } = givenCoordinator({ refusals: 1 });
    const commit = fence.run(() => repeatAsKafkajs(send));
    await expect(commit).rejects.toThrow('refused');
    expect(received()).toBe(1);
  });

  it('is not sent after a new assignment of partitions, although kafkajs would repeat it', async () => {
    const { fence, send, received } = givenCoordinator({ refusals: 0 });
    let attempts = 0;
    const commit = fence.run(() =>
      repeatAsKafkajs(async () => {
        attempts += 1;
        if (attempts > 1) await send();
        else {
          fence.onJoined();
          throw new KafkaJSConnectionError('no connection to the coordinator');
        }
      }),
    );
    await expect(commit).rejects.toThrow('assigned anew');
    expect([attempts, received()]).toEqual([2, 0]);
  });

  it('is sent if it begins after the new assignment', async () => {
    const { fence, send, received } = givenCoordinator({ refusals: 0 });
    fence.onJoined();
    await fence.run(() => repeatAsKafkajs(send));
    expect(received()).toBe(1);
  });

  it('keeps the type of its error, because kafkajs needs the type to find another coordinator', async () => {
    const { send } = givenCoordinator({ refusals: 1 });
    await expect(send()).rejects.toMatchObject({ type: refusal.type, retriable: false });
  });
});
