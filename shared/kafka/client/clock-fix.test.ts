import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { expireMetadataAfterClockChange } from './clock-fix.ts';

interface Pool {
  metadata: object;
  metadataExpireAt: number | null;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(topics: string[]): Promise<void>;
}

type PoolClass = new (options: object) => Pool;

const maxAgeMs = 30_000;
const hourMs = 3_600_000;

/** A pool whose broker answers without a network. */
function givenPool() {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/cluster/brokerPool.js');
  const BrokerPool = z.custom<PoolClass>((value) => typeof value === 'function').parse(loaded);
  const pool = new BrokerPool({ logger: { namespace: () => undefined }, metadataMaxAge: maxAgeMs });
  let refreshes = 0;
  pool.refreshMetadata = () => {
    refreshes += 1;
    pool.metadata = { topicMetadata: [] };
    pool.metadataExpireAt = Date.now() + maxAgeMs;
    return Promise.resolve();
  };
  return { refreshIfNecessary: () => pool.refreshMetadataIfNecessary([]), refreshes: () => refreshes };
}

describe('the metadata of a Kafka cluster', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    expireMetadataAfterClockChange();
    expireMetadataAfterClockChange();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('is refreshed when it exceeds its maximum age', async () => {
    const { refreshIfNecessary, refreshes } = givenPool();
    await refreshIfNecessary();
    vi.setSystemTime(Date.now() + maxAgeMs);
    await refreshIfNecessary();
    expect(refreshes()).toBe(1);
    vi.setSystemTime(Date.now() + 1);
    await refreshIfNecessary();
    expect(refreshes()).toBe(2);
  });

  it('is refreshed once after the wall clock was set back', async () => {
    const { refreshIfNecessary, refreshes } = givenPool();
    await refreshIfNecessary();
    vi.setSystemTime(Date.now() - hourMs);
    await refreshIfNecessary();
    await refreshIfNecessary();
    expect(refreshes()).toBe(2);
  });
});
