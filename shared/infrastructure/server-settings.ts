/** Settings shared by containers and local processes, so that tests are valid for both. */

/** Returns the settings of a broker that is also a controller, in a cluster of one or three. */
export function clusterSettings(nodes: 1 | 3): Record<string, string | number> {
  const inSync = nodes === 1 ? 1 : 2;
  return {
    'process.roles': 'broker,controller',
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'default.replication.factor': nodes,
    'offsets.topic.replication.factor': nodes,
    'offsets.topic.num.partitions': 3,
    'transaction.state.log.replication.factor': nodes,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': nodes,
    'share.coordinator.state.topic.min.isr': inSync,
    // A group's first member need not wait 3 s for others, and tests may use sessions shorter than 6 s.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A killed broker is fenced, and accepted again, after 3 s instead of 9.
    'broker.session.timeout.ms': 3000,
    // A single broker only receives its own heartbeats; of three, each notices within a second that the others live.
    'broker.heartbeat.interval.ms': nodes === 1 ? 1000 : 500,
    // An idle controller writes a record twice a second by default, which is a third of an idle broker's CPU.
    'metadata.max.idle.interval.ms': 5000,
    'auto.create.topics.enable': 'false',
    'num.network.threads': 2,
    'num.io.threads': 2,
  };
}

/** Returns the arguments of `postgres`; `fsync` stays on. */
export function postgresArguments(settings: Record<string, string | number> = {}): string[] {
  const all = {
    max_connections: 200,
    shared_buffers: '256MB',
    // Room for minutes of full load between two checkpoints.
    max_wal_size: '4GB',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Arguments of `initdb` for the same sort order and upper case on every machine, whatever its locales. */
export const databaseLocale = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
] as const;
