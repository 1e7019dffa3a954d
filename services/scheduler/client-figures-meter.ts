import { partitionCount } from '../../shared/domain/job/partitioning.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { CheckedLedger } from './ports/ledger-check.ts';

/** Of one client, as of the last check; where that was a part, reckoned from it. */
export type ClientFigure = Omit<CheckedLedger, 'expected' | 'counted'>;

/** Clients are too many for a label each. */
const namedClients = 20;
/** No client can have this name. */
const others = '(others)';

export function figureOf(
  { due, sidelined, expected: _, counted: __, ...whole }: CheckedLedger,
  partitions: number,
): ClientFigure {
  const inAll = (counted: number) => Math.round((counted * partitionCount) / partitions);
  return { ...whole, due: inAll(due), sidelined: inAll(sidelined) };
}

export interface ClientFigures {
  figures: () => readonly ClientFigure[];
  nameOf: (clientId: string) => string | undefined;
}

/** What waits of each client, of those with most of it by their names and of the others together. */
export function exportClientFigures(meter: Meter, { figures, nameOf }: ClientFigures): void {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const most = (values: readonly number[]) => Math.max(...values);

  function gauge(name: string, help: string, valueOf: (of: ClientFigure) => number, together = sum): void {
    meter.gauge({
      name,
      help: `${help} The ${namedClients} clients with most of it, and all others together; of the process that checks.`,
      labelNames: ['client'],
      collect: (level) => {
        const values = figures().map((each) => ({ clientId: each.clientId, value: valueOf(each) }));
        const sorted = values.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
        for (const { clientId, value } of sorted.slice(0, namedClients)) {
          level.of({ client: nameOf(clientId) ?? clientId }).set(value);
        }
        const rest = sorted.slice(namedClients).map(({ value }) => value);
        if (rest.length > 0) level.of({ client: others }).set(together(rest));
      },
    });
  }

  gauge('muster_client_due_jobs', 'Jobs that are due and have not ended.', ({ due }) => due);
  const longest = 'For how long the oldest job of a client has been due that has not ended.';
  gauge('muster_client_oldest_due_seconds', longest, ({ oldestDueMs }) => oldestDueMs / 1000, most);
  gauge('muster_client_sidelined_jobs', 'Jobs that wait for a host that is left alone.', ({ sidelined }) => sidelined);
  gauge('muster_client_in_line_jobs', 'Jobs that are ready, behind others of their ordering key.', (of) => of.inLine);
  gauge('muster_client_in_line_keys', 'Ordering keys of which jobs are ready and in line.', (of) => of.keysInLine);
  const inLine = 'For how long the first of these jobs of a client has been in line.';
  gauge('muster_client_oldest_in_line_seconds', inLine, ({ oldestInLineMs }) => oldestInLineMs / 1000, most);
  gauge('muster_client_hosts_aside', 'Hosts that are left alone.', ({ hosts }) => hosts);
  gauge('muster_client_dead_jobs', 'Jobs that were given up and not replayed.', ({ dead }) => dead);
}
