import { Pool as HttpPool } from 'undici';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { startOneApi, takeTurn, type Processes, type Turn } from '../one-api.ts';
import { createJob } from './added-jobs.ts';

/** A way to send jobs to an API. */
export interface Kind {
  name: string;
  /** Jobs per bulk request. 0 sends each job as a request of its own. */
  perRequest: number;
  connections: number;
  jobs: number;
}

const apiKey = 'muster_the-key-of-the-benchmark';
const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };

/**
 * Starts one API process with a client that accepts jobs.
 * @param root folder of the source that the process runs; this source tree by default
 */
export async function startAcceptingApi(
  databaseUrl: string,
  root?: string,
): Promise<{ api: ServiceProcess; url: string }> {
  const environment = { MUSTER_BOOTSTRAP_API_KEY: apiKey };
  const started = await startOneApi(databaseUrl, { environment, ...(root !== undefined && { root }) });
  const endpoint = { egress: { allow: [{ cidr: '127.0.0.0/8' }] } };
  const body = JSON.stringify({ name: 'orders', maxStoredJobs: 1_000_000_000, endpoint });
  const answer = await fetch(`${started.url}/v1/clients`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`no client could be made: ${await answer.text()}`);
  return started;
}

/** Sends as many concurrent requests as there are connections. Bodies are built before the measured time. */
export async function sendJobs(
  url: string,
  { perRequest, connections }: Kind,
  jobs: number,
  processes: Processes,
): Promise<Turn> {
  const bodies = Array.from({ length: Math.ceil(jobs / Math.max(1, perRequest)) }, () => bodyOf(perRequest));
  const http = new HttpPool(url, { connections });
  const path = perRequest === 0 ? '/v1/jobs' : '/v1/jobs/bulk';
  const items = bodies.length * Math.max(1, perRequest);
  const all = { ...processes, client: () => [process.pid] };
  const turn = await takeTurn(bodies, { atOnce: connections, items, processes: all }, async (body) => {
    const answer = await http.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    const isGood = perRequest === 0 ? answer.statusCode === 201 : text.startsWith(`{"accepted":${perRequest},`);
    if (!isGood) throw new Error(`not all were accepted: ${text.slice(0, 500)}`);
  });
  await http.close();
  return turn;
}

function bodyOf(perRequest: number): string {
  if (perRequest === 0) return JSON.stringify({ client: 'orders', ...createJob() });
  return JSON.stringify({ client: 'orders', jobs: Array.from({ length: perRequest }, createJob) });
}
