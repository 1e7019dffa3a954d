import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { GaugeSpec, Meter } from '../../../shared/ports/meter.ts';
import { namedClients, schedulerMetrics } from '../report/metrics.ts';
import type { CheckedLedger } from '../ports/ledger-check.ts';

/** Figures of one client at the last check. If the check counted only some partitions, the figures are extrapolated. */
export type ClientFigure = Omit<CheckedLedger, 'expected' | 'counted'>;

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

/**
 * Exports the waiting jobs by client. The clients with the most waiting jobs have a label of their own; the others are
 * exported as one sum.
 */
export function exportClientFigures(meter: Meter, { figures, nameOf }: ClientFigures): void {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const most = (values: readonly number[]) => Math.max(...values);

  function gauge(spec: GaugeSpec<'client'>, valueOf: (of: ClientFigure) => number, together = sum): void {
    meter.gauge({
      ...spec,
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

  gauge(schedulerMetrics.due, ({ due }) => due);
  gauge(schedulerMetrics.oldestDue, ({ oldestDueMs }) => oldestDueMs / 1000, most);
  gauge(schedulerMetrics.sidelined, ({ sidelined }) => sidelined);
  gauge(schedulerMetrics.blocked, ({ blocked }) => blocked);
  gauge(schedulerMetrics.blockedKeys, ({ blockedKeys }) => blockedKeys);
  gauge(schedulerMetrics.oldestBlocked, ({ oldestBlockedMs }) => oldestBlockedMs / 1000, most);
  gauge(schedulerMetrics.hosts, ({ hosts }) => hosts);
  gauge(schedulerMetrics.dead, ({ dead }) => dead);
}
