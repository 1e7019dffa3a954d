import type { Meter } from '../../shared/ports/meter.ts';
import type { OfferingLevels } from './offering.ts';

export interface OfferingSource {
  levels: () => OfferingLevels;
  owned: () => number;
  /** Clients that are behind, and for how long. */
  behindMs: () => ReadonlyMap<string, number>;
  nameOf: (clientId: string) => string | undefined;
}

/** Clients are too many for a label each: those that wait longest are enough to see who starves. */
const namedClients = 20;

/** What a scheduler offers, in figures. */
export function exportOffering(meter: Meter, { levels, owned, behindMs, nameOf }: OfferingSource): void {
  const gauge = (name: string, help: string, value: () => number) =>
    meter.gauge({
      name,
      help,
      collect: (level) => level.of({}).set(value()),
    });
  gauge('muster_job_partitions_owned', 'Partitions of jobs that this scheduler looks at, of 64.', owned);
  gauge(
    'muster_job_clients_behind',
    'Clients of which more is due than dispatchers take now.',
    () => levels().clientsBehind,
  );
  gauge('muster_jobs_offered', 'Jobs offered to dispatchers since the start.', () => levels().offered);
  gauge('muster_jobs_swept', 'Of them, offered again because nobody called them.', () => levels().swept);
  gauge('muster_jobs_late', 'Of them, found behind the marks.', () => levels().late);
  gauge('muster_jobs_lag_seconds', 'How late the latest job was seen by the last look.', () => levels().lagMs / 1000);
  meter.gauge({
    name: 'muster_job_client_behind_seconds',
    help: `For how long the oldest job of a client has been due that dispatchers do not take: the ${namedClients} longest.`,
    labelNames: ['client'],
    collect: (level) => {
      const longest = [...behindMs()].sort(([, a], [, b]) => b - a).slice(0, namedClients);
      for (const [clientId, ms] of longest) level.of({ client: nameOf(clientId) ?? clientId }).set(ms / 1000);
    },
  });
}
