import { createRequire } from 'node:module';

interface Runner {
  running: boolean;
}

let replaced: unknown;

/**
 * Replaces how a consumer of kafkajs 2.2.4 fetches after it was stopped. kafkajs creates new fetchers when partitions
 * have moved to other brokers, even if the consumer is stopped at that moment. They fetch without a pause and without
 * an answer, and thus block the process: no timer fires, not even the one that bounds a stop. With the replacement such
 * a fetch fails, which ends the fetchers and lets the consumer stop. Safe to call again.
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
