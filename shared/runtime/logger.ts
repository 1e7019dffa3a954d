import { pino, stdTimeFunctions, type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import { publicId, type IdKind } from '../domain/ids/ids.ts';
import { packageVersion } from './version.ts';

export type { Logger };

export type LogFormat = 'json' | 'pretty';

/**
 * Creates a logger that writes to stderr, so that stdout stays free for data. *error*: a person must act; *warn*: the
 * problem heals itself; *info*: a lifecycle or a run event; never a line per user, never a body or a secret.
 */
export function createLogger(service: string, level: string, format: LogFormat = 'json'): Logger {
  const options = loggerOptions(service, level);
  if (format === 'json') return pino(options, pino.destination({ fd: 2, sync: false }));
  const stream = pretty({
    destination: 2,
    sync: true,
    singleLine: true,
    ignore: 'pid,version,service',
    messageFormat: '{service}: {msg}',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return pino(options, stream);
}

/** Returns the wanted format; by default pretty on a terminal, JSON otherwise. */
export function logFormatOf(wanted: LogFormat | undefined): LogFormat {
  return wanted ?? (process.stderr.isTTY ? 'pretty' : 'json');
}

export function loggerOptions(service: string, level: string): LoggerOptions {
  return {
    level,
    base: { service, version: packageVersion, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: pino.stdSerializers.err, ...idSerializers },
  };
}

/** Fields that hold an id: logs show the same public ids as the API. */
const idFields: Record<string, IdKind> = {
  campaignId: 'campaign',
  runId: 'run',
  feedId: 'feed',
  jobId: 'job',
  fireId: 'job',
};

const idSerializers = Object.fromEntries(
  Object.entries(idFields).map(([field, kind]) => [field, (id: unknown) => idInLog(kind, id)]),
);

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idInLog(kind: IdKind, id: unknown): unknown {
  return typeof id === 'string' && uuidPattern.test(id) ? publicId(kind, id) : id;
}
