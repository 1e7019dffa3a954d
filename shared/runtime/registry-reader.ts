import type { Clock } from '../ports/clock.ts';
import type { Registry, RegistrySource } from '../ports/registry.ts';
import type { Logger } from './logger.ts';
import { createLoop } from './loop.ts';

/** Between two looks at the revision: a change is known everywhere after about as long. */
const lookEveryMs = 1000;

export interface RegistryReaderDeps {
  registry: RegistrySource;
  clock: Clock;
  logger: Logger;
}

/** What a process knows of action types and shards: a snapshot that it replaces when the registry has changed. */
export interface RegistryReader {
  /** The last snapshot; null before anything was read. */
  current(): Registry | null;
  /** Resolves with a snapshot at least as new as this call. Rejects when the store does not answer. */
  refresh(): Promise<Registry>;
  /** Called with each new snapshot from now on. Has to return at once. */
  onChange(listener: (registry: Registry) => void): void;
  /** Looks from now on. */
  start(): void;
  stop(): Promise<void>;
}

export function createRegistryReader({ registry, clock, logger }: RegistryReaderDeps): RegistryReader {
  const listeners: ((registry: Registry) => void)[] = [];
  let current: Registry | null = null;
  let looking: Promise<Registry> | undefined;
  let next: Promise<Registry> | undefined;

  async function look(): Promise<Registry> {
    if (current !== null && current.revision === (await registry.revision())) return current;
    const read = await registry.read();
    if (current?.revision !== read.revision) {
      current = read;
      for (const listener of listeners) listener(read);
    }
    return read;
  }

  /** Whoever asks while a look is under way gets the one after it, which is shared: the first may have begun too early. */
  function refresh(): Promise<Registry> {
    if (!looking) return (looking = look().finally(() => (looking = undefined)));
    return (next ??= looking
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh();
      }));
  }

  const turn = async () => {
    await refresh();
    return lookEveryMs;
  };
  const loop = createLoop({ name: 'read-registry', turn, afterErrorMs: lookEveryMs, clock, logger });

  return {
    current: () => current,
    refresh,
    onChange: (listener) => listeners.push(listener),
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
