import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { connectorsProcess } from '../../services/connectors/main.ts';
import { segmentDescription, userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { stopService } from '../../shared/runtime/process/service.ts';

export interface ConnectorsTerms {
  /** Database of the connectors themselves. */
  storeUrl: string;
  /** Database `shop` of the file: an address, or a directory of files. */
  shopUrl?: string;
  directory?: string;
  /** Segments by id: the query, or an object with the query and other fields. All use the database `shop`. */
  segments: Record<string, string | { query: string; [field: string]: unknown }>;
  /** Actions by id. Actions by SQL use the database `shop`. */
  actions?: Record<string, object>;
  environment?: Record<string, string>;
}

const problem = z.object({ code: z.string(), message: z.string() });

/** Starts the connectors with their own file, like a process. */
export async function startConnectors({
  storeUrl,
  shopUrl = '',
  directory,
  segments,
  actions = {},
  environment = {},
}: ConnectorsTerms) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-connectors-'));
  const path = join(folder, 'connectors.json');
  const described = Object.entries(segments).map(([id, segment]): [string, object] => [
    id,
    { name: id, database: 'shop', ...(typeof segment === 'string' ? { query: segment } : segment) },
  ]);
  const file = {
    databases: { shop: directory === undefined ? { urlEnv: 'SHOP_URL' } : { directory } },
    segments: Object.fromEntries<object>(described),
    actions: Object.fromEntries<object>(
      Object.entries(actions).map(([id, action]) => [
        id,
        'statements' in action ? { database: 'shop', ...action } : action,
      ]),
    ),
  };
  await writeFile(path, JSON.stringify(file));
  const running = await connectorsProcess
    .prepare({
      DATABASE_URL: storeUrl,
      SHOP_URL: shopUrl,
      CONNECTORS_CONFIG: path,
      CONNECTORS_PORT: '0',
      LOG_LEVEL: 'silent',
      ...environment,
    })
    .start({ meter: noMeter });

  async function get(path: string, query: Record<string, string>) {
    const response = await fetch(`${running.url}/v1/segments${path}?${new URLSearchParams(query).toString()}`);
    const body: unknown = await response.json();
    return { status: response.status, headers: response.headers, body };
  }

  async function snapshotOf(segment: string, country = 'SG') {
    return segmentDescription.parse((await get(`/${segment}`, { country })).body).snapshot;
  }

  return {
    url: running.url,
    get,
    snapshotOf,
    /** Reads all pages of a segment in a country, like a feed, from the known snapshot or the current one. */
    read: async (segment: string, country = 'SG', limit = 1000, known?: string): Promise<string[]> => {
      const snapshot = known ?? (await snapshotOf(segment, country));
      const users: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const { body } = await get(`/${segment}/users`, { country, snapshot, after, limit: String(limit) });
        const page = userPage.parse(body);
        users.push(...page.users);
        after = page.next;
      }
      return users;
    },
    /** Returns the refusal of the first page. */
    refusalOf: async (segment: string) => {
      const described = await get(`/${segment}`, { country: 'SG' });
      if (described.status !== 200) return { status: described.status, ...problem.parse(described.body) };
      const { snapshot } = segmentDescription.parse(described.body);
      const { status, body } = await get(`/${segment}/users`, { country: 'SG', snapshot, limit: '10' });
      return { status, ...problem.parse(body) };
    },
    stop: async () => {
      await stopService(running);
      await rm(folder, { recursive: true });
    },
  };
}

export type RunningConnectors = Awaited<ReturnType<typeof startConnectors>>;
