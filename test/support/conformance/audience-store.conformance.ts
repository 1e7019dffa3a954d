import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AudienceRecord, AudienceStore } from '../../../services/api/audiences/lists/audience-store.port.ts';
import type { Upload, UploadEnd } from '../../../services/api/user-files/upload.port.ts';
import type { Retention } from '../../../services/trigger/ports/retention-store.ts';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import { campaignDefinitionOf } from './run-rows.ts';

export interface AudienceSubject {
  audiences: Omit<AudienceStore, 'change'>;
  stored: StoredAudiences;
  campaigns: CampaignStore;
  retention: Pick<Retention, 'deleteAudiences' | 'failLostUploads'>;
  passTime(ms: number): Promise<void>;
}

const nothing: UploadEnd = { rows: 0, rejected: 0, rejects: [] };

/** Returns the users in another order. */
function shuffled(users: readonly string[]): string[] {
  return users
    .map((user, index) => ({ user, place: (index * 7919) % users.length }))
    .sort((a, b) => a.place - b.place)
    .map(({ user }) => user);
}

export function describeAudienceStore(name: string, makeSubject: () => Promise<AudienceSubject>): void {
  describe(`uploaded lists ${name}`, () => {
    let subject: AudienceSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const begunUploads: Upload<AudienceRecord>[] = [];
    afterEach(async () => {
      // Ends uploads that a test left open.
      await Promise.all(begunUploads.splice(0).map((begun) => begun.fail('over', nothing)));
    });

    async function begin(audienceId = uuidv7(), country: string | null = 'SG'): Promise<Upload<AudienceRecord>> {
      const begun = await subject.audiences.begin({ audienceId, name: 'Riders', country });
      if (begun.kind !== 'begun') throw new Error(`the upload is ${begun.kind}`);
      begunUploads.push(begun.upload);
      return begun.upload;
    }

    const rowsOf = (users: readonly string[], country = 'SG') => ({
      users,
      countries: users.map(() => country),
      lines: users.map((_, index) => index + 1),
    });

    async function upload(users: readonly string[], audienceId = uuidv7()): Promise<string> {
      const begun = await begin(audienceId);
      await begun.add(rowsOf(users));
      await begun.finish({ ...nothing, rows: users.length });
      return audienceId;
    }

    async function pagesOf(audienceId: string, country: string, after: string | null = null): Promise<string[][]> {
      const pages: string[][] = [];
      for (let last = after; ;) {
        const page = await subject.stored.listPage(audienceId, country, last);
        if (!page) throw new Error('the list is gone');
        if (page.users.length > 0) pages.push(page.users);
        if (page.isLast) return pages;
        last = page.users.at(-1) ?? last;
      }
    }

    it('are stored from rows in any order with repeats, and paged in ascending byte order, each user once', async () => {
      const users = Array.from({ length: 2500 }, (_, i) => `user-${String(i).padStart(5, '0')}`);
      const odd = [' ', '","', "'; drop table", 'a,b', 'é', 'ｗｉｄｅ', '🎟️', '\\x', '{"a":1}'];
      const begun = await begin();
      const [first, second] = [shuffled([...users, ...odd]), shuffled(users.slice(0, 300))];
      await begun.add(rowsOf(first));
      await begun.add(rowsOf(second));
      const record = await begun.finish({ ...nothing, rows: 2811, rejected: 2 });
      expect(record).toMatchObject({
        name: 'Riders',
        state: 'ready',
        cause: null,
        rows: 2811,
        rejected: 2,
        duplicates: 300,
        countries: [{ country: 'SG', users: 2509 }],
      });
      const pages = await pagesOf(record?.audienceId ?? '', 'SG');
      expect(pages.flat()).toEqual([...users, ...odd].toSorted(compareUserIds));
      expect(pages.map((page) => page.length)).toEqual([1000, 1000, 509]);
    });

    it('can be paged from any user id, also from one that is not in the list or cannot be stored', async () => {
      const audienceId = await upload(['a', 'b', 'c\u00e9', 'd']);
      const behind = async (user: string) => (await pagesOf(audienceId, 'SG', user)).flat();
      expect(await behind('b')).toEqual(['c\u00e9', 'd']);
      expect(await behind('bb')).toEqual(['c\u00e9', 'd']);
      expect(await behind('b\u0000')).toEqual(['c\u00e9', 'd']);
      expect(await behind('c\ud800')).toEqual(['d']);
      expect(await behind('d')).toEqual([]);
    });

    it('are stored separately by country', async () => {
      const audienceId = uuidv7();
      const begun = await begin(audienceId, null);
      await begun.add({ users: ['x', 'x', 'y'], countries: ['SG', 'SG', 'ID'], lines: [1, 2, 3] });
      await begun.finish({ ...nothing, rows: 3 });
      expect((await subject.audiences.get(audienceId))?.countries).toEqual([
        { country: 'ID', users: 1 },
        { country: 'SG', users: 1 },
      ]);
      expect(await pagesOf(audienceId, 'ID')).toEqual([['y']]);
      expect(await subject.stored.list(audienceId, 'SG')).toEqual({ name: 'Riders', users: 1 });
      expect(await subject.stored.list(audienceId, 'VN')).toEqual({ name: 'Riders', users: 0 });
      expect(await pagesOf(audienceId, 'VN')).toEqual([]);
    });

    it('keep each user in the country of the first row, and reject later rows of another country with their lines', async () => {
      const audienceId = uuidv7();
      const begun = await begin(audienceId, null);
      await begun.add({ users: ['ann', 'bob', 'bob'], countries: ['SG', 'ID', 'ID'], lines: [2, 3, 4] });
      await begun.add({ users: ['ann', 'cy', 'ann'], countries: ['ID', 'ID', 'VN'], lines: [5, 7, 8] });
      await begun.add({ users: ['ann', 'bob'], countries: ['SG', 'SG'], lines: [9, 10] });
      const rejects = [{ line: 6, value: '', rule: 'empty' as const }];
      const record = await begun.finish({ rows: 9, rejected: 1, rejects });
      expect(record).toMatchObject({ rows: 9, rejected: 4, duplicates: 2 });
      expect(record?.countries).toEqual([
        { country: 'ID', users: 2 },
        { country: 'SG', users: 1 },
      ]);
      expect([await pagesOf(audienceId, 'SG'), await pagesOf(audienceId, 'VN')]).toEqual([[['ann']], []]);
      expect((await subject.audiences.rejects(audienceId, 10, 0)).items).toEqual([
        { line: 5, value: 'ann', rule: 'second-country' },
        { line: 6, value: '', rule: 'empty' },
        { line: 8, value: 'ann', rule: 'second-country' },
        { line: 10, value: 'bob', rule: 'second-country' },
      ]);
    });

    it('are judged with the rows of a second country counted as rejected, and store nothing if refused', async () => {
      const audienceId = uuidv7();
      const begun = await begin(audienceId, null);
      await begun.add({ users: ['ann', 'ann', 'bob'], countries: ['SG', 'ID', 'ID'], lines: [1, 2, 3] });
      const judged: UploadEnd[] = [];
      const judge = (end: UploadEnd) => {
        judged.push(end);
        throw new Error('refused');
      };
      await expect(begun.finish({ ...nothing, rows: 3 }, judge)).rejects.toThrow('refused');
      const rejects = [{ line: 2, value: 'ann', rule: 'second-country' }];
      expect(judged).toEqual([{ rows: 3, rejected: 1, rejects }]);
      await begun.fail('refused', judged[0] ?? nothing);
      expect(await subject.audiences.get(audienceId)).toMatchObject({ state: 'failed', rejected: 1, countries: [] });
      expect((await subject.audiences.rejects(audienceId, 10, 0)).items).toEqual(rejects);
    });

    it('are invisible before they are complete and after they have failed', async () => {
      const audienceId = uuidv7();
      const begun = await begin(audienceId);
      await begun.add(rowsOf(['a']));
      expect(await subject.stored.list(audienceId, 'SG')).toBeUndefined();
      expect(await subject.stored.listPage(audienceId, 'SG', null)).toBeUndefined();
      expect(await subject.audiences.get(audienceId)).toMatchObject({ state: 'receiving', countries: [] });
      const rejects = [{ line: 3, value: 'x', rule: 'empty' as const }];
      await begun.fail('the upload was cut after 4 lines', { rows: 4, rejected: 1, rejects });
      expect(await subject.stored.list(audienceId, 'SG')).toBeUndefined();
      const failed = { state: 'failed', cause: 'the upload was cut after 4 lines', rows: 4, rejected: 1 };
      expect(await subject.audiences.get(audienceId)).toMatchObject(failed);
      expect((await subject.audiences.rejects(audienceId, 10, 0)).items).toEqual(rejects);
    });

    it('are stored once, and a repeated upload returns the stored list', async () => {
      const audienceId = await upload(['a', 'b']);
      const again = await subject.audiences.begin({ audienceId, name: 'Riders', country: 'SG' });
      expect(again).toMatchObject({ kind: 'ready', record: { audienceId, countries: [{ users: 2 }] } });
    });

    it('belong to the latest upload of the same id, and an earlier one has no effect', async () => {
      const audienceId = uuidv7();
      const [first, second] = [await begin(audienceId), await begin(audienceId)];
      await first.add(rowsOf(['stale']));
      await second.add(rowsOf(['fresh']));
      expect(await first.finish({ ...nothing, rows: 1 })).toBeUndefined();
      expect(await second.finish({ ...nothing, rows: 1 })).toMatchObject({ state: 'ready' });
      expect(await pagesOf(audienceId, 'SG')).toEqual([['fresh']]);
    });

    it('have their rejected rows listed page by page', async () => {
      const audienceId = uuidv7();
      const begun = await begin(audienceId);
      await begun.add(rowsOf(['a']));
      const rejects = [2, 5, 9].map((line) => ({ line, value: `"${line}"\\`, rule: 'too-long' as const }));
      await begun.finish({ rows: 4, rejected: 3, rejects });
      const page = await subject.audiences.rejects(audienceId, 2, 0);
      expect(page).toEqual({ items: rejects.slice(0, 2), next: '5' });
      expect(await subject.audiences.rejects(audienceId, 2, 5)).toEqual({ items: rejects.slice(2), next: null });
    });

    it('expire by age, except if a scheduled campaign uses them', async () => {
      const [used, old] = [await upload(['a']), await upload(['b'])];
      const audience = { include: [{ list: publicId('audience', used) }] };
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf({ audience }));
      await subject.campaigns.start(campaignId, null);
      await subject.passTime(30 * 86_400_000);
      const young = await upload(['c']);
      expect(await subject.retention.deleteAudiences(31, 10)).toBe(0);
      expect(await subject.retention.deleteAudiences(30, 10)).toBe(1);
      const left = await Promise.all([used, old, young].map((id) => subject.audiences.get(id)));
      expect(left.map((record) => record?.audienceId)).toEqual([used, undefined, young]);
      expect(await subject.stored.listPage(old, 'SG', null)).toBeUndefined();
    });

    it('fail if their upload has been silent for 15 minutes', async () => {
      const audienceId = uuidv7();
      await begin(audienceId);
      await subject.passTime(14 * 60_000);
      expect(await subject.retention.failLostUploads()).toBe(0);
      await subject.passTime(2 * 60_000);
      expect(await subject.retention.failLostUploads()).toBe(1);
      expect(await subject.audiences.get(audienceId)).toMatchObject({ state: 'failed' });
    });

    it('are deleted completely, but not while a scheduled campaign uses them', async () => {
      const [used, unused] = [await upload(['a']), await upload(['b'])];
      const include = [{ segment: 'riders' }];
      const audience = { include, exclude: [{ list: publicId('audience', used) }] };
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf({ audience }));
      expect(await subject.audiences.delete(unused)).toEqual({ kind: 'deleted' });
      expect(await subject.audiences.delete(unused)).toEqual({ kind: 'not-found' });
      expect(await subject.stored.listPage(unused, 'SG', null)).toBeUndefined();
      await subject.campaigns.start(campaignId, null);
      expect(await subject.audiences.delete(used)).toEqual({ kind: 'in-use', campaignId });
      expect(await pagesOf(used, 'SG')).toEqual([['a']]);
    });
  });
}
