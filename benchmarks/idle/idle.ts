import { meteredSettings } from '../growth/statements.ts';
import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { measureRun } from './run-statements.ts';
import { measureStanding } from './standing.ts';
import { measureStarts } from './starts.ts';

/**
 * Measures the cost of an idle installation, its start-up time, and how the statements of a run relate to its batches.
 * Postgres itself counts statements, commits and bytes of the log; a busy machine does not change these numbers. It
 * does change the shares of a core.
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
  // Each part has servers of its own, because the idle services of one part would count in the next.
  await publishParts({ name: 'idle', question, parts, only: options.only }, (part) =>
    withServers(meteredSettings, (servers) => part(servers, options)),
  );
}
