import type { GroupLook } from '../../../../shared/ports/group-look.ts';
import { createKafka } from '../../../../shared/kafka/client/connection.ts';
import { createGroupLook } from '../../../../shared/kafka/cluster/group-look.ts';
import { createGuardReader } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { workerGroup } from '../../../../shared/runtime/installation/installation-bus.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import type { BaseParts } from '../../frame/parts.ts';
import { createShardFigures } from './postgres/shard-figures.ts';
import { createShardLook } from './shard-look.ts';

/** Twice in each step of what is remembered of the lag. */
const shardLookMs = 15_000;

/** A look at the shards and the workers' group that is repeated in the background. */
export function createShardParts(parts: BaseParts, group: GroupLook) {
  const { pool, config, registry, clock, logger, onClose, onStart } = parts;
  const shardLook = createShardLook({
    registry,
    clock,
    topicPrefix: config.topicPrefix,
    figures: createShardFigures({ pool }),
    guards: createGuardReader({ pool }),
    group,
  });
  // So that the lag of the last minutes is known when a page is opened.
  const turn = () => shardLook.look().then(() => shardLookMs);
  const looks = createLoop({ name: 'look-at-shards', turn, afterErrorMs: shardLookMs, clock, logger });
  onClose(looks, (loop) => loop.stop());
  onStart(() => looks.start());
  return { shardLook };
}

/**
 * Asks the brokers about the workers' group. The first look that has brokers and an installation connects.
 * @param installationId whose workers are looked at; undefined until the database has answered
 */
export function createWorkerLook(
  { config, logger, onClose }: BaseParts,
  installationId: () => string | undefined,
): GroupLook {
  const { kafka, topicPrefix } = config;
  let group: ReturnType<typeof createGroupLook> | undefined;
  return {
    look: (topics) => {
      const installation = installationId();
      if (!kafka || installation === undefined) return Promise.resolve(null);
      const groupId = workerGroup(topicPrefix, installation);
      const connection = () => createKafka({ ...kafka, clientId: 'muster-api', logger });
      group ??= onClose(createGroupLook({ kafka: connection(), groupId, logger }), (look) => look.close());
      return group.look(topics);
    },
  };
}
