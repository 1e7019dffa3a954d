import { LRUCache } from 'lru-cache';
import { sealedPartOf, storedHeaders, type StoredHeaders } from '../../../shared/contracts/jobs/stored-calls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { SecretBoxError, type SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { createFoldedLog } from '../../../shared/runtime/folded-log.ts';
import { openHeader, openUrl } from '../../../shared/runtime/installation/call-secrets.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import { secretsIn, secretsOfTarget } from './without-secrets.ts';

export interface CallOpenerDeps {
  secretBox: Pick<SecretBox, 'open'>;
  clock: Clock;
  logger: Logger;
}

export interface OpenedCall {
  kind: 'opened';
  path: string;
  /** Names and values, alternating: headers of the job, and default headers that the job does not set. */
  headers: string[];
  hasAuthorization: boolean;
  /** Values that are sent and must not be stored. */
  secrets: string[];
  /** Body that replaces the job's own body; absent if the job's own body is sent. */
  body?: string;
}

export interface CallOpener {
  /** Decrypts the secret parts of a job's request. Returns `unsent` if this process cannot decrypt them. */
  open(job: OpenableJob): OpenedCall | { kind: 'unsent'; cause: string };
}

export type OpenableJob = Pick<HeldJob, 'clientId' | 'origin' | 'path' | 'url' | 'headers' | 'body'>;

/**
 * Headers as sent, names and values alternating. The flags tell which headers the job sets itself; their defaults are
 * not added.
 */
interface GivenHeaders {
  flat: readonly string[];
  secrets: readonly string[];
  hasUserAgent: boolean;
  hasContentType: boolean;
  hasAuthorization: boolean;
}

const none: GivenHeaders = {
  flat: [],
  secrets: [],
  hasUserAgent: false,
  hasContentType: false,
  hasAuthorization: false,
};

/** Creates the opener of calls. Only the opener decrypts the encrypted parts of a job, right before the call. */
export function createCallOpener({ secretBox, clock, logger }: CallOpenerDeps): CallOpener {
  /**
   * Cache of decrypted headers by their stored text. Most jobs of a client have the same headers. The size is bounded
   * in case each job has its own.
   */
  const remembered = new LRUCache<string, GivenHeaders>({
    max: 1000,
    maxSize: 1024 * 1024,
    sizeCalculation: (_given, text) => text.length + 1,
  });
  const log = createFoldedLog({ logger, clock, failing: 'what a job sends cannot be opened, it is not called' });

  function givenIn(text: string, job: OpenableJob): GivenHeaders {
    // Encrypted headers can be decrypted only for their own client and server, so the cache key includes both.
    const key = text.includes('"sealed"') ? `${job.clientId} ${job.origin} ${text}` : text;
    const known = remembered.get(key);
    if (known) return known;
    const given = Object.entries(readHeaders(text)).map(
      ([name, value]) => [name, openHeader(name, value, job, secretBox)] as const,
    );
    const named = new Set(given.map(([name]) => name.toLowerCase()));
    const flat = given.flat();
    const read = {
      flat,
      secrets: secretsIn(flat),
      hasUserAgent: named.has('user-agent'),
      hasContentType: named.has('content-type'),
      hasAuthorization: named.has('authorization'),
    };
    remembered.set(key, read);
    return read;
  }

  function opened(job: OpenableJob): OpenedCall {
    const { headers: text, body } = job;
    const given = text === null ? none : givenIn(text, job);
    const headers = [...given.flat];
    if (!given.hasUserAgent) headers.push('user-agent', 'muster');
    if (body !== null && !given.hasContentType) headers.push('content-type', 'application/json');
    const target = openTarget(job, secretBox);
    const { hasAuthorization } = given;
    const secrets = [...given.secrets, ...target.secrets];
    return { kind: 'opened', path: target.path, headers, hasAuthorization, secrets };
  }

  return {
    open: (job) => {
      try {
        return opened(job);
      } catch (error) {
        if (!(error instanceof SecretBoxError)) throw error;
        log.failed(log, error);
        return { kind: 'unsent', cause: `its secrets cannot be opened: ${error.fault}` };
      }
    },
  };
}

function openTarget(job: OpenableJob, secretBox: Pick<SecretBox, 'open'>): { path: string; secrets: string[] } {
  const { clientId, url, path } = job;
  const parts = sealedPartOf(url);
  if (!parts) return { path, secrets: [] };
  const { pathname, search } = new URL(openUrl(url, clientId, secretBox));
  const sealedPath = parts.open.endsWith('?') ? '' : pathname;
  return { path: pathname + search, secrets: secretsOfTarget(sealedPath, search.slice(1)) };
}

/**
 * Parses the stored headers, which the API has validated. Headers in a format of a later version are ignored, so that
 * the job is still called.
 */
function readHeaders(text: string): StoredHeaders {
  const read = storedHeaders.safeParse(parsed(text));
  return read.success ? read.data : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
