import type { Pool, PoolClient } from 'pg';
import type { RejectedRow } from '../../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { Page } from '../../../frame/page.port.ts';
import { pageOf, requireIdCursor } from '../../../frame/postgres/pages.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import type { Upload, UploadEnd } from '../../../user-files/upload.port.ts';
import { replacementNotConfirmed } from '../suppression-problems.ts';
import type { UploadMode } from '../suppressions.contract.ts';
import { changedBy, lockedNumber, lockedOrNewNumber, takeNumber } from './suppression-store.ts';
import * as statements from './suppression-statements.ts';

export interface SuppressionUploadRecord {
  uploadId: string;
  actionType: string;
  mode: UploadMode;
  state: 'receiving' | 'done' | 'failed';
  cause: string | null;
  note: string | null;
  rows: number;
  people: number;
  rejected: number;
  rejects: RejectedRow[];
  createdAt: Date;
  endedAt: Date | null;
}

export interface SuppressionUploadStart {
  uploadId: string;
  actionType: string;
  mode: UploadMode;
  note: string | null;
  /** Number of people whom the replacement removes, as the caller confirms; null without a confirmation. */
  confirmRemoved: number | null;
}

/**
 * Result of beginning an upload. `known`: an upload with this id exists. `busy`: another file for the list is being
 * received.
 */
export type SuppressionUploadBegin =
  | { kind: 'begun'; upload: Upload<SuppressionUploadRecord> }
  | { kind: 'known'; record: SuppressionUploadRecord }
  | { kind: 'busy' };

export interface SuppressionUploads {
  /**
   * Begins an upload. The file is loaded separately from the list, which does not change until the file is complete and
   * accepted. `add` then copies the people of the file to the list, in parts. `replace` replaces the list in one
   * transaction; people who were added meanwhile stay on it.
   */
  begin(start: SuppressionUploadStart): Promise<SuppressionUploadBegin>;
  get(uploadId: string): Promise<SuppressionUploadRecord | undefined>;
  /** Lists uploads, newest first; `cursor` is the id of the last upload of the previous page. */
  list(limit: number, cursor: string | null): Promise<Page<SuppressionUploadRecord>>;
}

/** Number of people that one transaction copies while it locks the list. */
const peoplePerPart = 20_000;

/** Interval of an upload's heartbeat, in milliseconds. */
const progressEveryMs = 10_000;

export interface SuppressionUploadsDeps {
  pool: Pool;
  /** Pool of connections whose statements may take long. */
  uploadPool: Pool;
}

export function createSuppressionUploads({ pool, uploadPool }: SuppressionUploadsDeps): SuppressionUploads {
  async function get(uploadId: string): Promise<SuppressionUploadRecord | undefined> {
    return (await pool.query<SuppressionUploadRecord>(statements.selectUpload, [uploadId])).rows[0];
  }

  async function insert({ uploadId, actionType, mode, note }: SuppressionUploadStart): Promise<number> {
    return await inTransaction(uploadPool, async (client) => {
      const listNo = await takeNumber(client, actionType, 'loading');
      await client.query(statements.insertUpload.with({ uploadId, actionType, mode, note, listNo }));
      return listNo;
    });
  }

  return {
    get,
    list: async (limit, cursor) => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<SuppressionUploadRecord>(statements.selectUploads, [limit + 1, cursor]);
      return pageOf(rows, limit, ({ uploadId }) => uploadId);
    },
    begin: async (start) => {
      const known = await get(start.uploadId);
      if (known) return { kind: 'known', record: known };
      try {
        const listNo = await insert(start);
        return { kind: 'begun', upload: begun({ pool: uploadPool, start, listNo, get }) };
      } catch (error) {
        if (isReceivingAlready(error)) return { kind: 'busy' };
        throw error;
      }
    },
  };
}

interface BegunDeps {
  pool: Pool;
  start: SuppressionUploadStart;
  listNo: number;
  get: (uploadId: string) => Promise<SuppressionUploadRecord | undefined>;
}

function begun({ pool, start, listNo, get }: BegunDeps): Upload<SuppressionUploadRecord> {
  const { uploadId, actionType, mode, note } = start;
  /** Number of people on the list, or in the version that will replace it. */
  let people = 0;
  let progressAtMs = performance.now();

  /** Adds users in short transactions, so that no transaction is open while the sender is slow. */
  async function add(users: readonly string[]): Promise<void> {
    const loaded = await inTransaction(pool, (client) => insertLoading(client, listNo, users, note));
    if (mode === 'replace') people += loaded;
    await updateProgress();
  }

  async function updateProgress(): Promise<void> {
    if (performance.now() - progressAtMs < progressEveryMs) return;
    progressAtMs = performance.now();
    await pool.query(statements.updateProgress, [uploadId, people]);
  }

  /** Copies users in short transactions, so that other changes of the list do not wait for the whole file. */
  async function copyOntoList(): Promise<void> {
    let after: string | null = '';
    while (after !== null) {
      const part: LoadedPart = { loadedNo: listNo, after, users: peoplePerPart };
      const { last, added }: CopiedPart = await inTransaction(pool, (client) => copyPart(client, actionType, part));
      after = last;
      people += added;
      await updateProgress();
    }
  }

  async function end(client: PoolClient, state: 'done' | 'failed', cause: string | null, read: UploadEnd) {
    const { rows, rejected, rejects } = read;
    const ended = { uploadId, state, cause, rows, people, rejected, rejects: JSON.stringify(rejects) };
    return (await client.query(statements.endUpload.with(ended))).rowCount === 1;
  }

  return {
    add: ({ users }) => add(users),
    finish: async (read) => {
      if (mode === 'add') await copyOntoList();
      await inTransaction(pool, async (client) => {
        if (mode === 'replace') people = await putInForce(client, actionType, listNo, start);
        else await client.query(statements.releaseNumber, [listNo]);
        if (!(await end(client, 'done', null, read))) throw new Error(`upload ${uploadId} was given up`);
      });
      return await get(uploadId);
    },
    fail: async (cause, read) => {
      await inTransaction(pool, async (client) => {
        if (await end(client, 'failed', cause, read)) await client.query(statements.releaseNumber, [listNo]);
      });
    },
  };
}

async function insertLoading(client: PoolClient, listNo: number, users: readonly string[], note: string | null) {
  // This fails if the version was abandoned meanwhile and is being deleted.
  onlyRow((await client.query(statements.lockLoading, [listNo])).rows);
  return (await client.query(statements.addLines, [listNo, users.join('\n'), note])).rowCount ?? 0;
}

interface LoadedPart {
  loadedNo: number;
  after: string;
  users: number;
}

interface CopiedPart {
  /** Last user of the part; null if there was none. */
  last: string | null;
  /** Number of people who were not on the list before. */
  added: number;
}

async function copyPart(client: PoolClient, actionType: string, part: LoadedPart): Promise<CopiedPart> {
  const listNo = await lockedOrNewNumber(client, actionType);
  onlyRow((await client.query(statements.lockLoading, [part.loadedNo])).rows);
  const { rows } = await client.query<CopiedPart>(statements.addPart.with({ listNo, ...part }));
  const copied = onlyRow(rows);
  await changedBy(client, actionType, copied.added);
  return copied;
}

/**
 * Makes the loaded version the one in force, in one transaction that locks the list. People who were added during
 * loading are included.
 */
async function putInForce(
  client: PoolClient,
  actionType: string,
  listNo: number,
  { uploadId, confirmRemoved }: SuppressionUploadStart,
) {
  const before = await lockedNumber(client, actionType);
  onlyRow((await client.query(statements.lockLoading, [listNo])).rows);
  if (before !== undefined) await client.query(statements.copyAddedMeanwhile, [listNo, before, uploadId]);
  const { rows } = await client.query<{ people: number }>(statements.countPeople, [listNo]);
  const { people } = onlyRow(rows);
  if (before !== undefined) {
    const counted = await client.query<ReplacedCounts>(statements.countRemoved, [before, listNo]);
    requireConfirmed(onlyRow(counted.rows), people, confirmRemoved);
  }
  await client.query(statements.putInForce, [actionType, listNo, people]);
  if (before !== undefined) await client.query(statements.releaseNumber, [before]);
  return people;
}

interface ReplacedCounts {
  /** Number of people on the list that is replaced. */
  people: number;
  /** Number of people on the list that is replaced who are not on the new list. */
  removed: number;
}

/**
 * Requires a confirmation of large removals.
 * @throws {HttpProblem} 409 if the file removes more than a tenth of the list and the caller has not confirmed the
 * number
 */
function requireConfirmed({ people, removed }: ReplacedCounts, peopleAfter: number, confirmed: number | null): void {
  if (removed * 10 <= people || removed === confirmed) return;
  throw replacementNotConfirmed({ before: people, after: peopleAfter, removed });
}

function isReceivingAlready(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'suppression_uploads_receiving';
}
