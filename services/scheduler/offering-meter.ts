import type { Meter } from '../../shared/ports/meter.ts';
import type { OfferingLevels } from './offering.ts';

export interface OfferingSource {
  levels: () => OfferingLevels;
  owned: () => number;
}

/** What a scheduler offers, in figures. */
export function exportOffering(meter: Meter, { levels, owned }: OfferingSource): void {
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
}
