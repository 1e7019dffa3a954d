import { v7 as uuidv7 } from 'uuid';
import { rejectRules, type RejectedRow } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { compareUserIds, escapeUserId } from '../../../shared/domain/ids/user-id.ts';
import type { AudienceRecord, AudienceStore } from '../../../services/api/audiences/lists/audience-store.port.ts';
import { maxRejectsKept, type Upload, type UploadEnd } from '../../../services/api/user-files/upload.port.ts';
import { pageOf } from '../../../services/api/frame/postgres/pages.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { AudienceRow } from './feed-tables.ts';

export interface MemoryAudienceStoreDeps {
  database: MemoryDatabase;
}

/** The store without the change of names and owners. */
export type MemoryAudienceStore = Omit<AudienceStore, 'change'>;

export function createMemoryAudienceStore({ database }: MemoryAudienceStoreDeps): MemoryAudienceStore {
  const { audiences, clock } = database;

  function uploadOf(audienceId: string, attempt: string): Upload<AudienceRecord> {
    /** Country of the first row of each user. */
    const received = new Map<string, string>();
    const refused: RejectedRow[] = [];
    const ours = () => {
      const row = audiences.get(audienceId);
      return row?.attempt === attempt && row.state === 'receiving' ? row : undefined;
    };
    return {
      add: ({ countries, users, lines }) =>
        atOnce(() => {
          for (const [index, user] of users.entries()) {
            const country = countries[index] ?? '';
            const first = received.get(user);
            if (first === undefined) received.set(user, country);
            else if (first !== country) {
              refused.push({ line: lines[index] ?? 0, value: escapeUserId(user), rule: 'second-country' });
            }
          }
          const row = ours();
          if (row) row.receivedAtMs = clock.nowMs();
        }),
      finish: (uploadEnd, judge) =>
        atOnce(() => {
          const row = ours();
          if (!row) return undefined;
          const byCountry = Map.groupBy(received.keys(), (user) => received.get(user) ?? '');
          const users = new Map([...byCountry].map(([country, ids]) => [country, ids.sort(compareUserIds)]));
          const { rows, rejected, rejects } = uploadEnd;
          const all = { rows, rejected: rejected + refused.length, rejects: firstOf([...rejects, ...refused]) };
          judge?.(all);
          Object.assign(row, { state: 'ready', readyAt: clock.now(), users, ...countsOf(all) });
          return recordOf(row);
        }),
      fail: (cause, uploadEnd) =>
        atOnce(() => {
          const row = ours();
          if (row) Object.assign(row, { state: 'failed', cause, ...countsOf(uploadEnd) });
        }),
    };
  }

  return {
    begin: ({ audienceId, name, country }) =>
      atOnce(() => {
        const before = audiences.get(audienceId);
        if (before?.state === 'ready') return { kind: 'ready', record: recordOf(before) };
        const attempt = uuidv7();
        const createdAt = before?.createdAt ?? clock.now();
        const empty = {
          rows: 0,
          rejected: 0,
          cause: null,
          readyAt: null,
          users: new Map<string, string[]>(),
          rejects: [],
        };
        const times = { createdAt, receivedAtMs: clock.nowMs() };
        audiences.set(audienceId, { id: audienceId, name, country, state: 'receiving', attempt, ...empty, ...times });
        return { kind: 'begun', upload: uploadOf(audienceId, attempt) };
      }),
    get: (audienceId) =>
      atOnce(() => {
        const row = audiences.get(audienceId);
        return row && recordOf(row);
      }),
    rejects: (audienceId, limit, afterLine) =>
      atOnce(() => {
        const all = audiences.get(audienceId)?.rejects ?? [];
        const found = all.flatMap(({ rule: text, ...reject }) => {
          const rule = rejectRules.find((known) => known === text);
          return rule && reject.line > afterLine ? [{ ...reject, rule }] : [];
        });
        return pageOf(found, limit, ({ line }) => String(line));
      }),
    delete: (audienceId) =>
      atOnce(() => {
        const campaignId = campaignsUsing(database, publicId('audience', audienceId))[0];
        if (campaignId !== undefined) return { kind: 'in-use', campaignId };
        return { kind: audiences.delete(audienceId) ? 'deleted' : 'not-found' };
      }),
  };
}

/** Returns the campaigns that use the list and wait for their start or have an active run. */
export function campaignsUsing({ campaigns, jobs, runs }: MemoryDatabase, list: string): string[] {
  const open = new Set([
    ...[...jobs.values()].map(({ campaignId }) => campaignId),
    ...[...runs.values()].filter(({ endedAt }) => endedAt === null).map(({ campaignId }) => campaignId),
  ]);
  return [...open]
    .filter((campaignId) => {
      const { include, exclude = [] } = campaigns.get(campaignId)?.definition.audience ?? { include: [] };
      return [...include, ...exclude].some((entry) => 'list' in entry && entry.list === list);
    })
    .sort();
}

function firstOf(rejects: readonly RejectedRow[]): RejectedRow[] {
  return rejects.toSorted((a, b) => a.line - b.line).slice(0, maxRejectsKept);
}

function countsOf({ rows, rejected, rejects }: UploadEnd): Pick<AudienceRow, 'rows' | 'rejected' | 'rejects'> {
  return { rows, rejected, rejects: [...rejects] };
}

function recordOf(row: AudienceRow): AudienceRecord {
  const { id, name, state, rows, rejected, cause, createdAt, readyAt } = row;
  const countries = [...row.users].map(([country, users]) => ({ country, users: users.length }));
  countries.sort((a, b) => (a.country < b.country ? -1 : 1));
  const kept = countries.reduce((sum, { users }) => sum + users, 0);
  const duplicates = state === 'ready' ? rows - rejected - kept : 0;
  const uses = { owner: null, kept: false, usedBy: 0, usedBySaved: 0, expiresAt: null };
  return { audienceId: id, name, state, countries, rows, duplicates, rejected, cause, createdAt, readyAt, ...uses };
}
