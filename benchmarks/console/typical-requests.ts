import { setTimeout as wait } from 'node:timers/promises';
import { Pool as HttpPool } from 'undici';
import { createJob } from '../accept/added-jobs.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';

/** Requests that programs and people send to the API beside the consoles. */
export const requestNames = ['list of campaigns', 'progress of a run', 'accept a job'] as const;

export type RequestName = (typeof requestNames)[number];

export interface TypicalRequests {
  /**
   * Sends the requests in turn at an even pace, without waiting for earlier answers.
   * @returns milliseconds of each request
   */
  send(perSecond: number, seconds: number): Promise<Map<RequestName, number[]>>;
  close(): Promise<void>;
}

const client = 'orders';
const connections = 16;

/** @param runId id of a run that has not ended */
export async function typicalRequests({ url, apiKey }: ConsoleUnderTest, runId: string): Promise<TypicalRequests> {
  const http = new HttpPool(url, { connections });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    http.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const get = (path: string) => http.request({ method: 'GET', path, headers });
  const requests: Record<RequestName, () => ReturnType<typeof get>> = {
    'list of campaigns': () => get('/v1/campaigns?sort=state&limit=20'),
    'progress of a run': () => get(`/v1/runs/${runId}/progress`),
    'accept a job': () => post('/v1/jobs', { client, ...createJob() }),
  };
  const timeOf = async (name: RequestName) => {
    const beganMs = performance.now();
    const { statusCode, body } = await requests[name]();
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${name}: ${statusCode} ${text.slice(0, 300)}`);
    return performance.now() - beganMs;
  };
  const endpoint = { egress: { allow: [{ cidr: '127.0.0.0/8' }] } };
  const made = await post('/v1/clients', { name: client, maxStoredJobs: 1_000_000_000, endpoint });
  if (made.statusCode !== 201) throw new Error(`no client could be made: ${await made.body.text()}`);
  await made.body.dump();
  return {
    send: async (perSecond, seconds) => {
      const sent = new Map(requestNames.map((name) => [name, new Array<Promise<number>>()]));
      const startedMs = performance.now();
      for (let each = 0; each < perSecond * seconds; each++) {
        const dueMs = startedMs + (each * 1000) / perSecond;
        await wait(Math.max(0, dueMs - performance.now()));
        const name = requestNames[each % requestNames.length] ?? 'list of campaigns';
        const answered = timeOf(name);
        // Errors are reported at the end, by `Promise.all`. Without this listener a rejection would end the process.
        answered.catch(() => undefined);
        sent.get(name)?.push(answered);
      }
      const all = await Promise.all([...sent].map(async ([name, times]) => [name, await Promise.all(times)] as const));
      return new Map(all);
    },
    close: () => http.close(),
  };
}
