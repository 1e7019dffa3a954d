import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment, region } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import type { RuleList } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';

/** 0 means for ever. */
const days = z.coerce.number().int().min(0).max(36_500);

const milliseconds = z.coerce.number().int().min(100).max(600_000);

export const triggerEnvironment = commonEnvironment.extend({
  MUSTER_REGION: region,
  TRIGGER_FEED_LEASE_MS: milliseconds.default(15_000).describe('How long a feed is owned without renewal'),
  TRIGGER_STALL_MS: milliseconds
    .default(5000)
    .describe('How long a step stands still before references count as lost ([feeding](../feeding.md))'),
  RETENTION_USERS_DAYS: days
    .default(14)
    .describe('How long users of batches are kept after a run has ended; 0 keeps for ever ([data](../data.md))'),
  RETENTION_RECEIPTS_DAYS: days
    .default(7)
    .describe(
      'Receipts of single users, and how long further ones are accepted, as long as the users are kept too; how many ' +
        'there were stays with the run',
    ),
  RETENTION_STEPS_DAYS: days.default(30).describe('Steps of batches'),
  RETENTION_FAILURES_DAYS: days.default(90).describe('Failures of single users'),
  RETENTION_RUNS_DAYS: days.default(400).describe('Runs with their figures'),
  RETENTION_AUDIENCES_DAYS: days
    .default(30)
    .describe(
      'Uploaded lists, longer while a campaign that is scheduled or runs, or a saved audience, names them; and records ' +
        'of uploads to suppression lists',
    ),
});

export type TriggerConfig = z.infer<typeof triggerEnvironment> & {
  engine: EngineConfig;
  kafka: KafkaSettings;
  /** Addresses that this installation may call. */
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
