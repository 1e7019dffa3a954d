import { join } from 'node:path';

export interface ClusterNode {
  name: string;
  /** Port of the server on 127.0.0.1. */
  port: number;
  /** Port of Patroni's API. */
  restPort: number;
  folder: string;
}

export interface Passwords {
  muster: string;
  replicator: string;
}

interface PatroniTerms {
  node: ClusterNode;
  etcdPort: number;
  passwords: Passwords;
  /** The folder of `postgres`. */
  binaries: string;
  locale: readonly string[];
  isSynchronous: boolean;
}

/** Returns the configuration of one server as JSON, which is YAML too. */
export function patroniConfig({ node, etcdPort, passwords, binaries, locale, isSynchronous }: PatroniTerms): object {
  const at = (port: number) => `127.0.0.1:${port}`;
  return {
    scope: 'muster',
    name: node.name,
    restapi: { listen: at(node.restPort), connect_address: at(node.restPort) },
    etcd3: { host: at(etcdPort) },
    bootstrap: {
      dcs: {
        // The lowest value that Patroni permits: a leader counts as lost after 20 s.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        // No commit is confirmed before the standby has it.
        synchronous_mode: isSynchronous,
        // Otherwise a standby that is far behind would never become the leader.
        ...(!isSynchronous && { maximum_lag_on_failover: 1_000_000_000 }),
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, shared_buffers: '256MB' } },
      },
      initdb: locale.map((argument) => {
        const [name = '', value = ''] = argument.slice('--'.length).split('=');
        return { [name]: value };
      }),
    },
    postgresql: {
      listen: at(node.port),
      connect_address: at(node.port),
      data_dir: join(node.folder, 'data'),
      bin_dir: binaries,
      pgpass: join(node.folder, 'pgpass'),
      authentication: {
        superuser: { username: 'muster', password: passwords.muster },
        replication: { username: 'replicator', password: passwords.replicator },
      },
      parameters: { unix_socket_directories: node.folder },
      pg_hba: [
        'local all all scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ],
    },
  };
}

/**
 * Returns a configuration that routes connections to the leader, and cuts them when another server becomes the leader.
 */
export function haproxyConfig(port: number, nodes: readonly ClusterNode[]): string {
  const servers = nodes.map(
    (node) => `  server ${node.name} 127.0.0.1:${node.port} maxconn 300 check port ${node.restPort}`,
  );
  return [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 2s',
    'listen leader',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ].join('\n');
}
