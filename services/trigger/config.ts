import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import type { RuleList } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/egress/installation-egress.ts';

/** 0 keeps for ever. */
const days = z.coerce.number().int().min(0).max(36_500);

const milliseconds = z.coerce.number().int().min(100).max(600_000);

const triggerEnvironment = commonEnvironment.extend({
  TRIGGER_FEED_LEASE_MS: milliseconds.default(15_000),
  TRIGGER_STALL_MS: milliseconds.default(5000),
  RETENTION_USERS_DAYS: days.default(14),
  RETENTION_STEPS_DAYS: days.default(30),
  RETENTION_FAILURES_DAYS: days.default(90),
  RETENTION_RUNS_DAYS: days.default(400),
  RETENTION_AUDIENCES_DAYS: days.default(30),
});

export type TriggerConfig = z.infer<typeof triggerEnvironment> & {
  engine: EngineConfig;
  kafka: KafkaSettings;
  /** Where this installation calls anything. */
  egress: RuleList;
};

export function readConfig(environment: NodeJS.ProcessEnv): TriggerConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(triggerEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  const egress = problems.of(() => readInstallationEgress(environment))?.value;
  if (engine) problems.of(() => checkSecrets([engine.segmentation], environment));
  if (!read || !engine || !egress || problems.found) throw problems.toError();
  return { ...read, engine, egress, kafka: { brokers: read.KAFKA_BROKERS, security } };
}
