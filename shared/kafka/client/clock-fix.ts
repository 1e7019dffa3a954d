import { createRequire } from 'node:module';

interface BrokerPool {
  /** Milliseconds since the epoch; null before the first answer. */
  metadataExpireAt: number | null;
  metadataMaxAge: number;
}

let replaced: unknown;

/**
 * Replaces the expiry of metadata in kafkajs 2.2.4, which compares wall clock times: after the clock has been set back
 * by an hour, clients notice no new partitions for an hour. Metadata that would be valid for longer than its maximum
 * age counts as expired. The function may be called more than once.
 */
export function expireMetadataAfterClockChange(): void {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/cluster/brokerPool.js');
  const prototype: unknown = typeof loaded === 'function' ? loaded.prototype : undefined;
  const refresh: unknown = Reflect.get(Object(prototype), 'refreshMetadataIfNecessary');
  if (typeof refresh !== 'function') throw new Error('kafkajs has another pool of brokers than version 2.2.4');
  if (refresh === replaced) return;
  replaced = async function refreshMetadataIfNecessary(this: BrokerPool, ...given: unknown[]): Promise<void> {
    const { metadataExpireAt: expireAtMs, metadataMaxAge: maxAgeMs } = this;
    if (expireAtMs !== null && expireAtMs > Date.now() + maxAgeMs) this.metadataExpireAt = null;
    await Reflect.apply(refresh, this, given);
  };
  Reflect.set(Object(prototype), 'refreshMetadataIfNecessary', replaced);
}
