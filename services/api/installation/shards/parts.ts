import type { GroupReader } from '../../../../shared/ports/group-reader.ts';
import { createKafka } from '../../../../shared/kafka/client/connection.ts';
import { createGroupReader } from '../../../../shared/kafka/cluster/group-reader.ts';
import { createGuardReader } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { workerGroup } from '../../../../shared/runtime/installation/installation-bus.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import type { BaseParts } from '../../frame/parts.ts';
import { createShardFigures } from './postgres/shard-figures.ts';
import { createShardReader } from './shard-reader.ts';

/** Interval between two reads of the shards, in milliseconds. There are two reads for each point of the lag history. */
const shardReadEveryMs = 15_000;

/** Creates the parts that observe the shards and the workers' consumer group in the background. */
export function createShardParts(parts: BaseParts, group: GroupReader) {
  const { pool, config, registry, clock, logger, onClose, onStart } = parts;
  const shardReader = createShardReader({
    registry,
    clock,
    topicPrefix: config.topicPrefix,
    figures: createShardFigures({ pool }),
    guards: createGuardReader({ pool }),
    group,
  });
  // The shards are read even if no page is open, so that the lag history is complete when a page is opened.
  const turn = () => shardReader.read().then(() => shardReadEveryMs);
  const readLoop = createLoop({ name: 'look-at-shards', turn, afterErrorMs: shardReadEveryMs, clock, logger });
  onClose(readLoop, (loop) => loop.stop());
  onStart(() => readLoop.start());
  return { shardReader };
}

/**
 * Reads the workers' consumer group from the Kafka brokers. Connects on the first call for which brokers are configured
 * and the installation is known.
 * @param installationId returns the id of the installation of the workers; undefined until the database has answered
 */
export function createWorkerGroupReader(
  { config, logger, onClose }: BaseParts,
  installationId: () => string | undefined,
): GroupReader {
  const { kafka, topicPrefix } = config;
  let group: ReturnType<typeof createGroupReader> | undefined;
  return {
    read: (topics) => {
      const installation = installationId();
      if (!kafka || installation === undefined) return Promise.resolve(null);
      const groupId = workerGroup(topicPrefix, installation);
      const connection = () => createKafka({ ...kafka, clientId: 'muster-api', logger });
      group ??= onClose(createGroupReader({ kafka: connection(), groupId, logger }), (look) => look.close());
      return group.read(topics);
    },
  };
}
