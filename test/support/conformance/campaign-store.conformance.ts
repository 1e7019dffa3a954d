import { beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import { campaignDefinitionOf, type RunRows } from './run-rows.ts';

export interface CampaignStoreSubject {
  campaigns: CampaignStore;
  rows: RunRows;
}

const nobody = '01938f1e-7c00-7000-8000-000000000001';
const budgetOf = (country: string, units: number) => ({ country, units });
const dueAt = new Date('2030-12-01T01:00:00.123Z');

export function describeCampaignStore(name: string, makeSubject: () => Promise<CampaignStoreSubject>): void {
  describe(`campaign store: ${name}`, () => {
    let campaigns: CampaignStore;
    let rows: RunRows;
    beforeEach(async () => {
      ({ campaigns, rows } = await makeSubject());
    });

    const create = (campaignName = 'one of many') => campaigns.create(campaignDefinitionOf({ name: campaignName }));

    it('stores a new campaign as a draft of revision 1 without a scheduled run', async () => {
      const created = await create('Lapsed riders');
      expect(created).toMatchObject({ revision: 1, state: 'draft', nextRunAt: null, latestRun: null });
      expect(await campaigns.get(created.campaignId)).toEqual(created);
    });

    it('creates a campaign under the requested id, once', async () => {
      const campaignId = uuidv7();
      const created = await campaigns.create(campaignDefinitionOf({ name: 'once' }), campaignId);
      const started = await campaigns.start(campaignId, dueAt);

      expect(created.campaignId).toBe(campaignId);
      expect(await campaigns.create(campaignDefinitionOf({ name: 'once' }), campaignId)).toEqual(started);
      expect(await campaigns.get(campaignId)).toEqual(started);
    });

    it('returns a definition unchanged, whatever its texts contain', async () => {
      const odd = ` "quoted" \\ 'single' 100% $1 \t\n {} [] 🚲 \u202e ünï ${'x'.repeat(100)}`;
      const definition = campaignDefinitionOf({
        name: odd,
        audience: { include: [{ segment: odd }] },
        chain: [{ action: 'award-reward', params: { [odd]: [odd, null, -0.5, 1e21, true, { deep: {} }] } }],
      });
      const { campaignId } = await campaigns.create(definition);
      expect((await campaigns.get(campaignId))?.definition).toEqual(definition);
    });

    it('returns a new campaign exactly as later reads do, including the order of keys', async () => {
      const params = { zebra: 1, a: 2, mm: { second: 2, b: 1 } };
      const created = await campaigns.create(campaignDefinitionOf({ chain: [{ action: 'award-reward', params }] }));
      expect(JSON.stringify(await campaigns.get(created.campaignId))).toBe(JSON.stringify(created));
    });

    it('returns undefined for a campaign that does not exist', async () => {
      expect(await campaigns.get(nobody)).toBeUndefined();
      expect(await campaigns.start(nobody, dueAt)).toBeUndefined();
    });

    it('returns the origin of a copied campaign, and null for others', async () => {
      const source = await create();
      const origin = { campaignId: source.campaignId, revision: 1 };
      const copy = await campaigns.create(source.definition, uuidv7(), null, {}, origin);
      expect([source.origin, copy.origin, (await campaigns.get(copy.campaignId))?.origin]).toEqual([
        ...[null, origin, origin],
      ]);
    });

    it('changes the description of a campaign in any state, without a new revision', async () => {
      const { campaignId } = await campaigns.create(campaignDefinitionOf(), uuidv7(), null, { owner: 'growth' });
      const started = await campaigns.start(campaignId, dueAt);
      const after = { tags: ['payday'], metadata: { ticket: 'MKT-1' } };

      expect(await campaigns.describe(campaignId, { before: { owner: 'growth' }, after })).toBe(true);
      expect(await campaigns.get(campaignId)).toEqual({ ...started, about: after });
    });

    it('refuses a change of the description if it has changed since it was read', async () => {
      const { campaignId } = await create();
      const reported = { before: { owner: 'growth' }, after: {} };

      expect(await campaigns.describe(campaignId, reported)).toBe(false);
      expect(await campaigns.describe(nobody, { ...reported, before: {} })).toBe(false);
      const kept = await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'late' }), 1, null, reported);
      expect(kept).toMatchObject({ isWritten: false, record: { revision: 1, definition: { name: 'one of many' } } });
    });

    it('stores a changed draft as its next revision, including budgets', async () => {
      const before = await campaigns.create(campaignDefinitionOf({ name: 'before', budgets: [budgetOf('SG', 5)] }));
      const wanted = campaignDefinitionOf({ name: 'after', budgets: [budgetOf('ID', 7), budgetOf('SG', 6)] });
      const after = await campaigns.redefine(before.campaignId, wanted, 1);
      expect(after).toEqual({ isWritten: true, record: { ...before, revision: 2, definition: wanted } });
      expect(await campaigns.get(before.campaignId)).toEqual(after?.record);
    });

    it('removes the budgets of a draft if the new definition has none', async () => {
      const { campaignId } = await campaigns.create(campaignDefinitionOf({ budgets: [budgetOf('SG', 5)] }));
      const after = await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'free' }), 1);
      expect(after?.record.definition).toEqual(campaignDefinitionOf({ name: 'free' }));
    });

    it('refuses to change a draft at an outdated revision, or a started campaign', async () => {
      const { campaignId } = await create('mine');
      const mine = await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'yours' }), 1);
      const late = await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'late' }), 1);
      expect(late).toEqual({ isWritten: false, record: mine?.record });
      const started = await campaigns.start(campaignId, dueAt);
      const later = await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'later' }), 2);
      expect(later).toEqual({ isWritten: false, record: started });
      expect(await campaigns.redefine(nobody, campaignDefinitionOf({}), 1)).toBeUndefined();
    });

    it('starts the newest revision of a draft', async () => {
      const { campaignId } = await create();
      await campaigns.redefine(campaignId, campaignDefinitionOf({ name: 'second' }), 1);
      expect(await campaigns.start(campaignId, dueAt)).toMatchObject({ revision: 2, definition: { name: 'second' } });
    });

    it('schedules a started campaign for its time', async () => {
      const { campaignId } = await create();
      expect(await campaigns.start(campaignId, dueAt)).toMatchObject({ state: 'scheduled', nextRunAt: dueAt });
    });

    it('changes nothing when a started campaign is started again at any time', async () => {
      const { campaignId } = await create();
      const started = await campaigns.start(campaignId, dueAt);
      expect(await campaigns.start(campaignId, null)).toEqual(started);
      expect(await campaigns.get(campaignId)).toEqual(started);
    });

    it('unschedules a campaign together with its job, and can start it again at another time', async () => {
      const { campaignId } = await create();
      await campaigns.start(campaignId, dueAt);
      expect(await campaigns.unschedule(campaignId)).toMatchObject({ state: 'draft', nextRunAt: null });
      expect(await campaigns.unschedule(campaignId)).toMatchObject({ state: 'draft' });
      const later = new Date(dueAt.getTime() + 1);
      expect(await campaigns.start(campaignId, later)).toMatchObject({ state: 'scheduled', nextRunAt: later });
    });

    it('does not unschedule a campaign whose job has become a run, and unschedules no other campaign', async () => {
      const [one, other] = [await create(), await create()];
      await campaigns.start(other.campaignId, dueAt);
      await rows.addRun({ campaignId: one.campaignId, revision: 1, scheduledFor: dueAt, state: 'preparing' });
      const before = await campaigns.get(one.campaignId);
      expect(await campaigns.unschedule(one.campaignId)).toEqual(before);
      expect(await campaigns.get(other.campaignId)).toMatchObject({ state: 'scheduled' });
      expect(await campaigns.unschedule(nobody)).toBeUndefined();
    });

    it('starts only the named campaign', async () => {
      const [one, other] = [await create(), await create()];
      await campaigns.start(one.campaignId, dueAt);
      expect(await campaigns.get(other.campaignId)).toEqual(other);
    });

    it('returns the latest run of a campaign by scheduled time', async () => {
      const { campaignId } = await create();
      const planned = (day: number) => new Date(Date.UTC(2026, 10, day));
      const run = { campaignId, revision: 1 } as const;
      const latest = await rows.addRun({ ...run, scheduledFor: planned(2), state: 'running' });
      await rows.addRun({ ...run, scheduledFor: planned(1), state: 'completed' });
      expect((await campaigns.get(campaignId))?.latestRun).toEqual({ runId: latest, state: 'running' });
    });
  });
}
