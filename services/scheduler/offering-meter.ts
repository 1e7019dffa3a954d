import type { Meter } from '../../shared/ports/meter.ts';
import type { BacklogGate } from './backlog-gate.ts';
import type { OfferingLevels } from './offering.ts';

export interface OfferingSource {
  levels: () => OfferingLevels;
  owned: () => number;
  gate: Pick<BacklogGate, 'isClosed' | 'seconds'>;
}

/** What a scheduler offers, in figures. */
export function exportOffering(meter: Meter, { levels, owned, gate }: OfferingSource): void {
  const gauge = (name: string, help: string, value: () => number | null) =>
    meter.gauge({
      name,
      help,
      collect: (level) => {
        const now = value();
        if (now !== null) level.of({}).set(now);
      },
    });
  gauge('muster_job_partitions_owned', 'Partitions of jobs that this scheduler looks at, of 64.', owned);
  gauge('muster_jobs_waiting', 'Jobs that are due, were looked at, and wait to be offered.', () => levels().waiting);
  gauge('muster_jobs_offered', 'Jobs offered to dispatchers since the start.', () => levels().offered);
  gauge('muster_jobs_swept', 'Of them, offered again because nobody called them.', () => levels().swept);
  gauge('muster_jobs_late', 'Of them, found behind the marks.', () => levels().late);
  gauge('muster_jobs_lag_seconds', 'How late the latest job was seen by the last look.', () => levels().lagMs / 1000);
  gauge(
    'muster_calls_backlog_seconds',
    'Work on the topic of calls, at the rate of its dispatchers.',
    () => gate.seconds,
  );
  gauge('muster_jobs_paused', '1 while nothing is offered because enough lies on the topic.', () =>
    gate.isClosed ? 1 : 0,
  );
}
