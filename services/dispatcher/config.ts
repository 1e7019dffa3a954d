import { Resolver } from 'node:dns';
import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import {
  commonEnvironment,
  kafkaSessionTimeout,
  readEnvironment,
  region,
} from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import type { RuleList } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { readTargetTopics, type TargetTopics } from '../../shared/runtime/configuration/target-topics.ts';
import { readMailSettings, type MailSettings } from '../../shared/runtime/configuration/mail-settings.ts';
import { publicUrl } from '../../shared/runtime/configuration/public-address.ts';
import { readSecretBox, type SecretBox } from '../../shared/runtime/configuration/secret-box.ts';

/**
 * Kafka fetch settings for the topic of calls. A broker waits at most `gatherMs` for more messages, which is no longer
 * than a flush takes. Responses may be large, so that the dispatcher reads past the backlog of one client quickly. The
 * references of that client then wait in the client's own queue.
 */
export const callsFetch = { gatherMs: 5, maxBytesPerPartition: 128 * 1024 };

export const dispatcherEnvironment = commonEnvironment.extend({
  KAFKA_SESSION_TIMEOUT_MS: kafkaSessionTimeout,
  MUSTER_REGION: region,
  /**
   * Shortest lease of a claim in milliseconds. The lease covers the wait of a claimed job for its slot, and a call of
   * up to a minute.
   */
  DISPATCHER_LEASE_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(600_000)
    .default(90_000)
    .describe(
      'Maximum duration of a claim; 4 s longer than `timeoutMs` of the endpoint if that is more, so that a claim lasts as long as its call. Claims of a dead dispatcher are free 10 s after its last heartbeat',
    ),
  DISPATCHER_DNS_SERVERS: z
    .string()
    .transform((list) => list.split(',').map((server) => server.trim()))
    .refine((servers) => servers.every(isNameServer), 'has to be addresses, each with or without a port, by commas')
    .optional()
    .meta({ description: 'Name servers for hosts of callbacks', usual: 'those of the machine' }),
  API_PUBLIC_URL: publicUrl,
  DISPATCHER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(5000)
    .default(500)
    .describe('Calls in flight over all clients, and one more of each client. One client may have half of them'),
});

function isNameServer(text: string): boolean {
  try {
    new Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
}

export type DispatcherConfig = z.infer<typeof dispatcherEnvironment> & {
  engine: EngineConfig;
  kafka: KafkaSettings;
  secretBox: SecretBox;
  egress: RuleList;
  targetTopics: TargetTopics;
  /** Undefined if e-mail is not configured. */
  mail: MailSettings | undefined;
};

export function readConfig(environment: NodeJS.ProcessEnv): DispatcherConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(dispatcherEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  const secretBox = problems.of(() => readSecretBox(environment))?.value;
  const egress = problems.of(() => readInstallationEgress(environment))?.value;
  const targetTopics = problems.of(() => readTargetTopics(environment))?.value;
  const mail = problems.of(() => readMailSettings(environment))?.value;
  if (!read || !engine || !secretBox || !egress || !targetTopics || problems.found) throw problems.toError();
  return { ...read, engine, secretBox, egress, targetTopics, mail, kafka: { brokers: read.KAFKA_BROKERS, security } };
}
