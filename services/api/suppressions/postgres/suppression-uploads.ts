import type { Pool, PoolClient } from 'pg';
import type { RejectedRow } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { Page } from '../../frame/page.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { Upload, UploadEnd } from '../../audiences/audience-store.port.ts';
import type { UploadMode } from '../suppressions.contract.ts';
import { addTo, lockedNumber, takeNumber } from './suppression-store.ts';
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
  /** uuid v7. */
  uploadId: string;
  actionType: string;
  mode: UploadMode;
  note: string | null;
}

/** `known`: it was begun under this id before. `busy`: the list, or this process, has as many as can be. */
export type SuppressionUploadBegin =
  | { kind: 'begun'; upload: Upload<SuppressionUploadRecord> }
  | { kind: 'known'; record: SuppressionUploadRecord }
  | { kind: 'busy' };

export interface SuppressionUploads {
  /**
   * `add`: people that a part of the file names are on the list when that part is written. `replace`: the list is
   * another at once, when all of it is there; people who came onto it meanwhile stay.
   */
  begin(start: SuppressionUploadStart): Promise<SuppressionUploadBegin>;
  get(uploadId: string): Promise<SuppressionUploadRecord | undefined>;
  /** Newest first; `cursor` is the id of the last one of the page before. */
  list(limit: number, cursor: string | null): Promise<Page<SuppressionUploadRecord>>;
}

/** How often an upload says that its rows still come. */
const heardOfEveryMs = 10_000;

export interface SuppressionUploadsDeps {
  /** Statements of a part may take long, and there are no more uploads at once than it has connections. */
  uploadPool: Pool;
}

export function createSuppressionUploads({ uploadPool: pool }: SuppressionUploadsDeps): SuppressionUploads {
  const maxUploads = pool.options.max;
  let uploads = 0;

  async function get(uploadId: string): Promise<SuppressionUploadRecord | undefined> {
    return (await pool.query<SuppressionUploadRecord>(statements.selectUpload, [uploadId])).rows[0];
  }

  async function insert({ uploadId, actionType, mode, note }: SuppressionUploadStart): Promise<number | null> {
    return await inTransaction(pool, async (client) => {
      const listNo = mode === 'replace' ? await takeNumber(client, actionType, 'loading') : null;
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
      if (uploads >= maxUploads) return { kind: 'busy' };
      uploads++;
      try {
        const listNo = await insert(start);
        const upload = begun({ pool, start, listNo, get, onEnded: () => uploads-- });
        return { kind: 'begun', upload };
      } catch (error) {
        uploads--;
        if (isReceivingAlready(error)) return { kind: 'busy' };
        throw error;
      }
    },
  };
}

interface BegunDeps {
  pool: Pool;
  start: SuppressionUploadStart;
  /** Of a replacement. */
  listNo: number | null;
  get: (uploadId: string) => Promise<SuppressionUploadRecord | undefined>;
  onEnded: () => void;
}

function begun({ pool, start, listNo, get, onEnded }: BegunDeps): Upload<SuppressionUploadRecord> {
  const { uploadId, actionType, note } = start;
  let people = 0;
  let heardOfMs = performance.now();

  /** Short transactions: nothing stays open while the sender takes its time. */
  async function add(users: readonly string[]): Promise<void> {
    if (listNo === null)
      people += (await inTransaction(pool, (client) => addTo(client, actionType, users, note))).users;
    else people += await inTransaction(pool, (client) => insertLoading(client, listNo, users, note));
    if (performance.now() - heardOfMs < heardOfEveryMs) return;
    heardOfMs = performance.now();
    await pool.query(statements.hearOfUpload, [uploadId, people]);
  }

  async function end(client: PoolClient, state: 'done' | 'failed', cause: string | null, read: UploadEnd) {
    const { rows, rejected, rejects } = read;
    const ended = { uploadId, state, cause, rows, people, rejected, rejects: JSON.stringify(rejects) };
    return (await client.query(statements.endUpload.with(ended))).rowCount === 1;
  }

  return {
    add: ({ users }) => add(users),
    finish: async (read) => {
      try {
        await inTransaction(pool, async (client) => {
          if (listNo !== null) people = await putInForce(client, actionType, listNo, start);
          if (!(await end(client, 'done', null, read))) throw new Error(`upload ${uploadId} was given up`);
        });
        return await get(uploadId);
      } finally {
        onEnded();
      }
    },
    fail: async (cause, read) => {
      try {
        await inTransaction(pool, async (client) => {
          if ((await end(client, 'failed', cause, read)) && listNo !== null)
            await client.query(statements.giveNumberUp, [listNo]);
        });
      } finally {
        onEnded();
      }
    },
  };
}

async function insertLoading(client: PoolClient, listNo: number, users: readonly string[], note: string | null) {
  // A replacement that was given up meanwhile is being deleted.
  onlyRow((await client.query(statements.holdLoading, [listNo])).rows);
  return (await client.query(statements.addLines, [listNo, users.join('\n'), note])).rowCount ?? 0;
}

/** In one transaction, under the list's lock: people who were added while it was loaded come along. */
async function putInForce(
  client: PoolClient,
  actionType: string,
  listNo: number,
  { uploadId }: SuppressionUploadStart,
) {
  const before = await lockedNumber(client, actionType);
  onlyRow((await client.query(statements.holdLoading, [listNo])).rows);
  if (before !== undefined) await client.query(statements.takeAlong, [listNo, before, uploadId]);
  const { rows } = await client.query<{ people: number }>(statements.countPeople, [listNo]);
  const { people } = onlyRow(rows);
  await client.query(statements.putInForce, [actionType, listNo, people]);
  if (before !== undefined) await client.query(statements.giveNumberUp, [before]);
  return people;
}

function isReceivingAlready(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'suppression_uploads_receiving';
}
