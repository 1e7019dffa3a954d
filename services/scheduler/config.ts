import { z } from 'zod';
import { createProblems } from '../../shared/runtime/configuration-error.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/kafka-security.ts';

const schedulerEnvironment = commonEnvironment.extend({
  SCHEDULER_LEASE_MS: z.coerce.number().int().min(500).max(600_000).default(10_000),
  SCHEDULER_POLL_MS: z.coerce.number().int().min(10).max(60_000).default(200),
});

export type SchedulerConfig = z.infer<typeof schedulerEnvironment> & { kafka: KafkaSettings };

export function readConfig(environment: NodeJS.ProcessEnv): SchedulerConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(schedulerEnvironment, environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  if (!read || problems.found) throw problems.toError();
  return { ...read, kafka: { brokers: read.KAFKA_BROKERS, security } };
}
