import { meteredSettings } from '../growth/statements.ts';
import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { measureRun } from './run-statements.ts';
import { measureStanding } from './standing.ts';
import { measureStarts } from './starts.ts';

/**
 * What does an installation cost that does nothing, how soon is it there, and how many statements does a run take
 * beside those of its batches? Statements, commits and bytes of the log are counted by Postgres itself and are the same
 * on a busy machine; shares of a core are not.
 */
const question = 'What an installation costs that does nothing or little';

export interface IdleOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

type Part = (servers: Servers, options: IdleOptions) => Promise<Table[]>;

const parts: Record<string, Part> = {
  standing: (servers, { quick }) => measureStanding(servers, quick),
  starts: async (servers, { rounds }) => [await measureStarts(servers, rounds)],
  run: (servers) => measureRun(servers),
};

export async function benchmarkIdle(options: IdleOptions): Promise<void> {
  // Each on servers of its own: what stands still in one part would be counted in the next.
  await publishParts({ name: 'idle', question, parts, only: options.only }, (part) =>
    withServers(meteredSettings, (servers) => part(servers, options)),
  );
}
