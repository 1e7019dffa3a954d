import { setTimeout as wait } from 'node:timers/promises';
import { Pool as HttpPool } from 'undici';
import { addedJob } from '../accept/added-jobs.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';

/** What programs and people ask the API for, beside the consoles. */
export const requestNames = ['list of campaigns', 'progress of a run', 'accept a job'] as const;

export type RequestName = (typeof requestNames)[number];

export interface TypicalRequests {
  /** In turns at an even pace, whether or not those before were answered. @returns milliseconds of each */
  send(perSecond: number, seconds: number): Promise<Map<RequestName, number[]>>;
  close(): Promise<void>;
}

const client = 'orders';
const connections = 16;

/** @param runId of a run that goes on */
export async function typicalRequests({ url, apiKey }: ConsoleUnderTest, runId: string): Promise<TypicalRequests> {
  const http = new HttpPool(url, { connections });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    http.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const get = (path: string) => http.request({ method: 'GET', path, headers });
  const requests: Record<RequestName, () => ReturnType<typeof get>> = {
    'list of campaigns': () => get('/v1/campaigns?sort=state&limit=20'),
    'progress of a run': () => get(`/v1/runs/${runId}/progress`),
    'accept a job': () => post('/v1/jobs', { client, ...addedJob() }),
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
        // Told at the end, with the others.
        answered.catch(() => undefined);
        sent.get(name)?.push(answered);
      }
      const all = await Promise.all([...sent].map(async ([name, times]) => [name, await Promise.all(times)] as const));
      return new Map(all);
    },
    close: () => http.close(),
  };
}
