import type { GaugeSpec, Meter } from '../../../shared/ports/meter.ts';
import { namedClients, schedulerMetrics } from '../report/metrics.ts';
import type { OfferingLevels } from './offering.ts';

export interface OfferingSource {
  levels: () => OfferingLevels;
  owned: () => number;
  /**
   * Returns the clients with a backlog, and for each, the milliseconds for which its oldest waiting job has been due.
   */
  behindMs: () => ReadonlyMap<string, number>;
  nameOf: (clientId: string) => string | undefined;
}

export function exportOffering(meter: Meter, { levels, owned, behindMs, nameOf }: OfferingSource): void {
  const gauge = (spec: GaugeSpec<never>, value: () => number) =>
    meter.gauge({ ...spec, collect: (level) => level.of({}).set(value()) });
  gauge(schedulerMetrics.owned, owned);
  gauge(schedulerMetrics.clientsBehind, () => levels().clientsBehind);
  gauge(schedulerMetrics.offered, () => levels().offered);
  gauge(schedulerMetrics.swept, () => levels().swept);
  gauge(schedulerMetrics.late, () => levels().late);
  gauge(schedulerMetrics.lag, () => levels().lagMs / 1000);
  meter.gauge({
    ...schedulerMetrics.clientBehind,
    collect: (level) => {
      const longest = [...behindMs()].sort(([, a], [, b]) => b - a).slice(0, namedClients);
      for (const [clientId, ms] of longest) level.of({ client: nameOf(clientId) ?? clientId }).set(ms / 1000);
    },
  });
}
