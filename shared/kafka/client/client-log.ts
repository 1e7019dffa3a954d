import { logLevel, type LogEntry } from 'kafkajs';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../runtime/logger.ts';

/** Milliseconds after which a lasting cause is logged again, with a count. */
const repeatLogAfterMs = 30_000;

/**
 * Returns the log level for kafkajs, which builds no entry above it. Its *info* has a line for every pause of a
 * partition, so it maps to our *debug*.
 */
export function clientLogLevel(logger: Logger): logLevel {
  if (logger.isLevelEnabled('trace')) return logLevel.DEBUG;
  if (logger.isLevelEnabled('debug')) return logLevel.INFO;
  return logger.isLevelEnabled('warn') ? logLevel.WARN : logLevel.NOTHING;
}

/** Errors of brokers during elections and rebalances. kafkajs retries, and logs ERROR meanwhile. */
const passing = [
  'The group coordinator is not available',
  "The coordinator is loading and hence can't process requests for this group",
  'This is not the correct coordinator for this group',
  'The group is rebalancing',
  'The coordinator is not aware of this member',
  'Specified group generation id is not valid',
  'This server is not the leader for that topic-partition',
  'This server does not host this topic-partition',
  'There is no leader for this topic-partition',
];

/** Messages of kafkajs' broker pool about a failed connection. The connection itself has just logged the failure. */
const connectionMessages = ['Failed to connect to seed broker', 'Failed to connect to broker', 'Connection error'];

interface Cause {
  sinceMs: number;
  loggedMs: number;
  /** Number of occurrences since the last log line. */
  count: number;
}

export interface ClientLog {
  write: (entry: LogEntry) => void;
  answered: (broker: string) => void;
}

export interface ClientLogDeps {
  logger: Logger;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Creates the log for kafkajs. None of its entries is an *error* here: a failure that it cannot recover from reaches
 * the caller as a rejection, or the consumer as its crash, and is logged there. A lasting cause is logged once, again
 * every 30 s, and for a broker once more when it is back.
 */
export function createClientLog({ logger, clock }: ClientLogDeps): ClientLog {
  const unreachable = new Map<string, Cause>();
  const others = new Map<string, Cause>();

  function fold(causes: Map<string, Cause>, key: string, fields: object, line: string): void {
    const nowMs = clock.monotonicMs();
    const known = causes.get(key);
    const cause = known ?? { sinceMs: nowMs, loggedMs: nowMs, count: 0 };
    causes.set(key, cause);
    cause.count += 1;
    if (known && nowMs - known.loggedMs < repeatLogAfterMs) return;
    const lastedSeconds = Math.round((nowMs - cause.sinceMs) / 1000);
    logger.warn(known ? { ...fields, times: cause.count, lastedSeconds } : fields, line);
    cause.loggedMs = nowMs;
    cause.count = 0;
  }

  function forgetQuiet(causes: Map<string, Cause>): void {
    const nowMs = clock.monotonicMs();
    for (const [key, { loggedMs }] of causes) if (nowMs - loggedMs > 2 * repeatLogAfterMs) causes.delete(key);
  }

  return {
    write: ({ level, namespace, log }) => {
      const { timestamp: _timestamp, logger: _name, message, stack: _stack, ...facts } = log;
      const fields = { part: namespace, text: message, ...facts };
      if (level === logLevel.DEBUG) logger.trace(fields, 'kafka client');
      else if (level === logLevel.INFO || isPassing(message, log['error']) || isConnectionMessage(namespace, message)) {
        logger.debug(fields, 'kafka client');
      } else if (namespace === 'Connection' && typeof log['broker'] === 'string') {
        fold(unreachable, log['broker'], fields, 'kafka broker does not answer');
      } else {
        forgetQuiet(others);
        fold(others, `${namespace} ${message.replaceAll(/\d+/g, '#')}`, fields, 'kafka client');
      }
    },
    answered: (broker) => {
      if (unreachable.size === 0) return;
      const cause = unreachable.get(broker);
      if (!cause) return;
      unreachable.delete(broker);
      logger.warn(
        { broker, afterSeconds: Math.round((clock.monotonicMs() - cause.sinceMs) / 1000) },
        'kafka broker answers again',
      );
    },
  };
}

function isPassing(message: string, error: unknown): boolean {
  return passing.some((known) => message.includes(known) || (typeof error === 'string' && error.startsWith(known)));
}

function isConnectionMessage(namespace: string, message: string): boolean {
  return namespace === 'BrokerPool' && connectionMessages.some((known) => message.startsWith(known));
}
