import { createKafka } from '../../../../shared/kafka/client/connection.ts';
import { createGroupLook } from '../../../../shared/kafka/cluster/group-look.ts';
import { createGuardReader } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { createShardStore } from '../../../../shared/postgres/registry/registry.ts';
import { workerGroup } from '../../../../shared/runtime/installation/installation-bus.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import type { ApiParts } from '../../frame/frame-module.ts';
import { createShardFigures } from './postgres/shard-figures.ts';
import { createShardLook } from './shard-look.ts';

/** Twice in each step of what is remembered of the lag. */
const shardLookMs = 15_000;

type Parts = Pick<ApiParts, 'pool' | 'config' | 'registry' | 'clock' | 'logger' | 'onClose' | 'onStart'>;

/** @param installationId whose workers are looked at: the database says, which need not answer at the start */
export function shardsModule(parts: Parts, installationId: () => string | undefined) {
  const { pool, config, registry, clock, logger, onClose, onStart } = parts;
  const workers = workersOf(parts, installationId);
  const shardLook = createShardLook({
    registry,
    clock,
    topicPrefix: config.topicPrefix,
    figures: createShardFigures({ pool }),
    guards: createGuardReader({ pool }),
    group: { look: (topics) => workers()?.look(topics) ?? Promise.resolve(null) },
  });
  // So that the lag of the last minutes is known when a page is opened.
  const turn = () => shardLook.look().then(() => shardLookMs);
  const looks = createLoop({ name: 'look-at-shards', turn, afterErrorMs: shardLookMs, clock, logger });
  onClose(looks, (loop) => loop.stop());
  onStart(() => looks.start());
  return { shards: createShardStore({ pool }), shardLook };
}

/** Connected with the first look that has brokers and an installation. */
function workersOf({ config, logger, onClose }: Parts, installationId: () => string | undefined) {
  const { kafka, topicPrefix } = config;
  let group: ReturnType<typeof createGroupLook> | undefined;
  return () => {
    const installation = installationId();
    if (!kafka || installation === undefined) return undefined;
    const groupId = workerGroup(topicPrefix, installation);
    const connection = () => createKafka({ ...kafka, clientId: 'muster-api', logger });
    return (group ??= onClose(createGroupLook({ kafka: connection(), groupId, logger }), (look) => look.close()));
  };
}
