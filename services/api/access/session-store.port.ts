import type { ApiKeyRecord } from '../../../shared/ports/api-keys.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A session that is not used for so long is over. */
export const sessionIdleMs = 12 * hourMs;
/** And every one after so long. */
export const sessionMaxMs = 7 * 24 * hourMs;
/** How exactly its idle time is kept: one write in so long. */
export const sessionTouchMs = minuteMs;
/** A link that was not used for so long opens nothing. */
export const linkLifeMs = 10 * minuteMs;

export interface SessionRecord {
  apiKey: ApiKeyRecord;
  createdAt: Date;
  /** Whatever is done with it until then. */
  expiresAt: Date;
}

/**
 * Log-ins by key, and links that open one once. Both are kept under SHA-256 digests of secrets: a reader of the tables
 * can use neither. They end with their key.
 */
export interface SessionStore {
  /** @throws when there is no such key */
  open(digest: string, apiKey: string): Promise<SessionRecord>;
  /**
   * The session behind a digest, unless it is over or its key was revoked. To ask is to use it: its idle time begins
   * anew.
   */
  find(digest: string): Promise<SessionRecord | undefined>;
  /** False when there is none. */
  close(digest: string): Promise<boolean>;
  /** Closes all sessions of a key and takes its links back; returns how many sessions that were. */
  closeAll(apiKey: string): Promise<number>;
  /** Makes a link; returns until when it may be used. */
  addLink(digest: string, apiKey: string): Promise<Date>;
  /**
   * The key of a link that was not used before, is not too old, and whose key was not revoked. Of two who ask at once,
   * one gets it.
   */
  useLink(digest: string): Promise<ApiKeyRecord | undefined>;
}
