import { randomBytes } from 'node:crypto';
import type { Infrastructure } from '../../../shared/infrastructure/infrastructure.ts';
import { createKafka } from '../../../shared/kafka/client/connection.ts';
import { removeTopics } from '../../../shared/kafka/cluster/remove-topics.ts';
import { createDatabase, dropDatabase } from '../../../shared/postgres/connection/databases.ts';
import { serversNamedBy } from '../../../shared/runtime/configuration/database-url.ts';
import type { KafkaSettings } from '../../../shared/runtime/configuration/kafka-security.ts';
import { readKafkaSecurity } from '../../../shared/runtime/configuration/kafka-security.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';

export interface DemoRoom {
  databaseUrl: string;
  kafka: KafkaSettings;
  topicPrefix: string;
  /** Message for the user; undefined if the demo started its own servers. */
  description: string | undefined;
  /** Creates another database on the same server. Returns its URL. @param name what it is for, such as `shop` */
  addDatabase(name: string): Promise<string>;
  /** Deletes the demo's resources from external servers. */
  remove(): Promise<void>;
}

/**
 * Prepares database and topics. External servers may serve a real installation, so the demo creates its own database
 * and topics there and deletes them at the end. The demo's own servers are used directly.
 */
export async function makeRoom(infrastructure: Infrastructure, environment: NodeJS.ProcessEnv): Promise<DemoRoom> {
  const { kind, databaseUrl, brokers } = infrastructure;
  if (kind !== 'external') {
    const kafka = { brokers, security: undefined };
    return {
      databaseUrl,
      kafka,
      topicPrefix: 'muster',
      description: undefined,
      addDatabase: (purpose) => createDatabase(databaseUrl, purpose),
      remove: () => Promise.resolve(),
    };
  }
  const name = `muster_demo_${randomBytes(4).toString('hex')}`;
  const kafka = { brokers, security: readKafkaSecurity(environment) };
  const databases = [name];
  return {
    databaseUrl: await createDatabase(databaseUrl, name).catch((error: unknown) => {
      throw new Error(`the demo makes a database of its own at ${serversNamedBy(databaseUrl)}, and could not`, {
        cause: error,
      });
    }),
    kafka,
    topicPrefix: name,
    description: `on ${infrastructure.description}, in database and topics ${name}, which are removed at the end`,
    addDatabase: (purpose) => {
      const added = `${name}_${purpose}`;
      databases.push(added);
      return createDatabase(databaseUrl, added);
    },
    remove: async () => {
      const connection = createKafka({ ...kafka, clientId: 'muster-demo', logger: createLogger('demo', 'silent') });
      const dropped = databases.map((each) => dropDatabase(databaseUrl, each));
      await Promise.all([...dropped, removeTopics({ kafka: connection, prefix: name })]);
    },
  };
}
