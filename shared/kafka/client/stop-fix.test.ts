import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settled } from '../../../test/support/pass-time.ts';
import { endFetchersOfStopped } from './stop-fix.ts';

interface Runner {
  start(): Promise<void>;
  stop(): Promise<void>;
}

type RunnerClass = new (options: object) => Runner;

const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing, namespace: (): object => silent };

/** Returns a group whose brokers answer when the test says so. */
function givenRunner() {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js');
  const KafkaRunner = z.custom<RunnerClass>((value) => typeof value === 'function').parse(loaded);
  const answers = new Map<number, PromiseWithResolvers<unknown[]>>();
  const calls: string[] = [];
  let brokers = [1, 2];
  let reads = 0;
  const consumerGroup = {
    connect: () => Promise.resolve(),
    joinAndSync: () => Promise.resolve(),
    leave: () => Promise.resolve(calls.push('left')),
    heartbeat: () => Promise.resolve(),
    getNodeIds: () => {
      // Fetchers that fetch without a pause would keep this test from ending.
      if (++reads > 1000) throw new Error('the fetchers ask without a pause');
      return brokers;
    },
    fetch: (broker: number) => {
      const answer = Promise.withResolvers<unknown[]>();
      answers.set(broker, answer);
      return answer.promise;
    },
  };
  const runner = new KafkaRunner({
    logger: silent,
    consumerGroup,
    instrumentationEmitter: new EventEmitter(),
    eachBatch: () => Promise.resolve(),
    concurrency: 1,
    onCrash: (error: Error) => calls.push(`crashed: ${error.message}`),
    retry: { initialRetryTime: 1, maxRetryTime: 1 },
  });
  return {
    runner,
    calls,
    reads: () => reads,
    moveTo: (next: number[]) => (brokers = next),
    answer: (broker: number) => answers.get(broker)?.resolve([]),
  };
}

describe('a stopped consumer of kafkajs', () => {
  beforeEach(() => {
    endFetchersOfStopped();
    endFetchersOfStopped();
  });

  it('leaves its group even if partitions have just moved to other brokers', async () => {
    const { runner, calls, reads, moveTo, answer } = givenRunner();
    await runner.start();
    await settled();
    // The fetcher of the first broker notices the changed brokers, and waits for the fetcher of the second.
    moveTo([1, 3]);
    answer(1);
    await settled();
    const stopped = runner.stop();
    answer(2);
    await stopped;
    expect(calls).toEqual(['left']);
    expect(reads()).toBeLessThan(10);
  });

  it('leaves its group once the fetches in flight are answered', async () => {
    const { runner, calls, answer } = givenRunner();
    await runner.start();
    await settled();
    const stopped = runner.stop();
    answer(1);
    answer(2);
    await stopped;
    expect(calls).toEqual(['left']);
  });
});
