import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment, region } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import type { RuleList } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';

/** Number of days; 0 means for ever. */
const days = z.coerce.number().int().min(0).max(36_500);

const milliseconds = z.coerce.number().int().min(100).max(600_000);

export const triggerEnvironment = commonEnvironment.extend({
  MUSTER_REGION: region,
  TRIGGER_FEED_LEASE_MS: milliseconds.default(15_000).describe('Duration of the lease on a feed, in ms'),
  TRIGGER_STALL_MS: milliseconds
    .default(5000)
    .describe('Time without progress in a step after which references count as lost ([feeding](../feeding.md))'),
  RETENTION_USERS_DAYS: days
    .default(14)
    .describe('Days after the end of a run for which users of batches are kept; 0: for ever ([data](../data.md))'),
  RETENTION_RECEIPTS_DAYS: days
    .default(7)
    .describe(
      'Days for which receipts of single users are kept and accepted, at most as long as the users are kept. Their numbers stay with the run',
    ),
  RETENTION_STEPS_DAYS: days.default(30).describe('Steps of batches'),
  RETENTION_FAILURES_DAYS: days.default(90).describe('Failures of single users'),
  RETENTION_RUNS_DAYS: days.default(400).describe('Runs with their figures'),
  RETENTION_AUDIENCES_DAYS: days
    .default(30)
    .describe(
      'Uploaded lists, and records of uploads to suppression lists. Lists are kept longer while a scheduled or running campaign or a saved audience uses them',
    ),
});

export type TriggerConfig = z.infer<typeof triggerEnvironment> & {
  engine: EngineConfig;
  kafka: KafkaSettings;
  /** Egress rules: the addresses that this installation may call. */
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
