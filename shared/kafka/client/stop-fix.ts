import { createRequire } from 'node:module';

interface Runner {
  running: boolean;
}

let replaced: unknown;

/**
 * Replaces how a consumer of kafkajs 2.2.4 fetches once it was stopped. kafkajs makes new fetchers when partitions have
 * moved to other brokers, also if the consumer is stopped at that moment. They ask without a pause, are answered by
 * nothing, and so keep the process from everything else: no timer fires, not even the one that bounds a stop. Here such
 * a fetch fails, which ends the fetchers and lets the consumer stop. The function may be called more than once.
 */
export function endFetchersOfStopped(): void {
  const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js');
  const prototype: unknown = typeof loaded === 'function' ? loaded.prototype : undefined;
  const fetch: unknown = Reflect.get(Object(prototype), 'fetch');
  if (typeof fetch !== 'function') throw new Error('kafkajs has another runner of consumers than version 2.2.4');
  if (fetch === replaced) return;
  replaced = async function fetchUnlessStopped(this: Runner, ...given: unknown[]): Promise<unknown> {
    if (!this.running) throw new Error('the consumer was stopped');
    const batches: unknown = await Reflect.apply(fetch, this, given);
    return batches;
  };
  Reflect.set(Object(prototype), 'fetch', replaced);
}
