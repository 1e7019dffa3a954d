import { pino, type Logger } from 'pino';

export type { Logger };

/**
 * JSON lines on stderr, so that stdout stays free for data. *error*: a person must act; *warn*: it heals itself; *info*: a lifecycle or a
 * run event; never a line per user, never a body or a secret.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({ name: service, level, base: { service, pid: process.pid } }, pino.destination({ fd: 2, sync: false }));
}
