import { setTimeout as wait } from 'node:timers/promises';
import { listActionTypes } from '../../sdk/generated/sdk.gen.ts';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import type { EngineConfigFile } from './engine-config.ts';
import type { MusterApi } from './muster-api.ts';

/**
 * A start beside three brokers takes long. All of it is below the time-out of hooks; a process that ends is noticed at
 * once.
 */
const readyDeadlineMs = 90_000;
const answerWithinMs = 10_000;
const pollMs = 50;

/** Returns when a start that begins now has to be over, by `performance.now()`. */
export const readyBy = (): number => performance.now() + readyDeadlineMs;

/** A trigger registers the types of the file at its start, which may be after the API is ready. */
export async function awaitActionTypes(
  { client }: MusterApi,
  { actionTypes }: EngineConfigFile,
  deadline: number,
): Promise<void> {
  for (;;) {
    const { items } = (await listActionTypes({ client })).data;
    const registered = new Set(items.map(({ name }) => name));
    const missing = Object.keys(actionTypes).filter((name) => !registered.has(name));
    if (missing.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`not registered within ${readyDeadlineMs} ms: ${missing.join(', ')}`);
    await wait(pollMs);
  }
}

export async function awaitAnswer(url: string, service: ServiceProcess | undefined, deadline: number): Promise<void> {
  let last = 'nothing';
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) }).catch((error: unknown) => {
      last = String(error);
    });
    if (answer?.ok) return;
    if (answer) last = `${answer.status} ${await answer.text()}`;
    if (!service?.running) throw new Error(`the service behind ${url} ended: see ${service?.logFile ?? 'nothing'}`);
    if (performance.now() > deadline)
      throw new Error(`${url} was not ready within ${readyDeadlineMs} ms; last answer: ${last}`);
    await wait(pollMs);
  }
}
