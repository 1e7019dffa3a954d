import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { createGuardian, definedOnly } from '../../shared/infrastructure/guarded-processes.ts';
import { findCommand, installCommand } from '../../shared/infrastructure/install-hints.ts';
import { waitUntilReady } from '../../shared/infrastructure/server-log.ts';
import { answersTcp } from '../../shared/infrastructure/tcp.ts';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';

const host = '127.0.0.1';
const startDeadlineMs = 10_000;

/** @throws {ConfigurationError} if this machine has no Redis; the message describes how to install it */
export function requireRedis(environment: NodeJS.ProcessEnv): string {
  const command = findCommand('redis-server', environment);
  if (command !== undefined) return command;
  throw new ConfigurationError([
    `redis-server is not on the PATH, and BullMQ needs it: ${installCommand('redis', environment)}`,
    'or build it from https://redis.io/downloads/ and put it there',
  ]);
}

export interface RedisServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a Redis for this benchmark, which ends with it. The settings are those that BullMQ recommends for production:
 * an append-only file that is synced every second, and no eviction.
 */
export async function startRedis(command: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-redis-'));
  const guardian = createGuardian(folder);
  try {
    const [port = 0] = await findFreePorts(1);
    const logFile = join(folder, 'redis.log');
    const settings = ['--bind', host, '--port', String(port), '--dir', folder, '--maxmemory-policy', 'noeviction'];
    const process = await guardian.start({
      command,
      args: [...settings, '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
      cwd: folder,
      env: definedOnly(globalThis.process.env),
      logFile,
      endSignal: 'SIGKILL',
    });
    const isReady = () => answersTcp(host, port);
    await waitUntilReady({ server: 'Redis', process, logFile, isReady, deadlineMs: startDeadlineMs });
    return { port, pid: process.pid, stop: () => guardian.end() };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}
