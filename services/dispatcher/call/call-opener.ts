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
  /** Names and values in turn: those of the job, and those that every call has unless the job says otherwise. */
  headers: string[];
  /** The job says itself what it is authorised with. */
  hasAuthorization: boolean;
  /** What is sent and must not be kept. */
  secrets: string[];
  /** In the place of the job's own. */
  body?: string;
}

export interface CallOpener {
  /** What a job sends, in the clear; `unsent` where this process cannot open it. */
  open(job: OpenableJob): OpenedCall | { kind: 'unsent'; cause: string };
}

export type OpenableJob = Pick<HeldJob, 'clientId' | 'origin' | 'path' | 'url' | 'headers' | 'body'>;

/** Headers as they are sent, names and values in turn, and which of the usual ones are among them. */
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

/** The one place where what is sealed of a job is opened: right before it is sent. */
export function createCallOpener({ secretBox, clock, logger }: CallOpenerDeps): CallOpener {
  /** Jobs of a client mostly have the same headers. Where each has its own, what is remembered stays small. */
  const remembered = new LRUCache<string, GivenHeaders>({
    max: 1000,
    maxSize: 1024 * 1024,
    sizeCalculation: (_given, text) => text.length + 1,
  });
  const log = createFoldedLog({ logger, clock, failing: 'what a job sends cannot be opened, it is not called' });

  function givenIn(text: string, job: OpenableJob): GivenHeaders {
    // What is sealed opens for its own client and server alone: so does what is remembered of it.
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

/** They were checked when they were accepted; what a later version wrote differently must not stop the call. */
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
