import { setTimeout as wait } from 'node:timers/promises';
import { listActionTypes } from '../../sdk/generated/sdk.gen.ts';
import type { EngineConfigFile } from './engine-config.ts';
import type { MusterApi } from './muster-api.ts';

const pollMs = 50;

/** Resolves when all action types of the file are registered. A trigger registers the types of the file at its start, which may be after the API is ready. */
export async function awaitActionTypes(
  { client }: MusterApi,
  { actionTypes }: EngineConfigFile,
  withinMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const { items } = (await listActionTypes({ client })).data;
    const registered = new Set(items.map(({ name }) => name));
    const missing = Object.keys(actionTypes).filter((name) => !registered.has(name));
    if (missing.length === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`not registered within ${withinMs} ms: ${missing.join(', ')}`);
    await wait(pollMs);
  }
}
