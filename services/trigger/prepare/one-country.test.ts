import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { createMemoryAudienceStore } from '../../../test/support/memory/audience-store.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

/** Adds a list of these people, each with a country, and returns its public id. */
async function addList(
  { database }: ReturnType<typeof createTriggerFixture>,
  people: Readonly<Record<string, string>>,
) {
  const audienceId = uuidv7();
  const begun = await createMemoryAudienceStore({ database }).begin({ audienceId, name: 'a list', country: null });
  if (begun.kind !== 'begun') throw new Error('the list could not be uploaded');
  const users = Object.keys(people);
  const lines = users.map((_, index) => index + 1);
  await begun.upload.add({ users, countries: Object.values(people), lines });
  await begun.upload.finish({ rows: users.length, rejected: 0, rejects: [] });
  return publicId('audience', audienceId);
}

describe('a user with different countries in several sources', () => {
  it('is served in the country of the first list, before the country of a segment', async () => {
    const world = createTriggerFixture();
    const first = await addList(world, { ann: 'ID', bob: 'SG' });
    const second = await addList(world, { ann: 'SG', cy: 'SG' });
    world.segmentation.users.set('SG', ['ann', 'cy', 'dan']).set('ID', ['bob', 'cy', 'eve']);
    createTrigger(world.triggerDeps('a')).start();
    await world.startCampaign({
      countries: ['SG', 'ID'],
      audience: { include: [{ segment: 'riders' }, { list: first }, { list: second }] },
    });
    await passTime(world.clock, 2000);
    expect(world.fedUsers('SG')).toEqual(['bob', 'cy', 'dan']);
    expect(world.fedUsers('ID')).toEqual(['ann', 'eve']);
    expect(world.feedRows().map(({ country, excludedUsers }) => [country, excludedUsers])).toEqual([
      ['SG', 1],
      ['ID', 2],
    ]);
  });

  it('is excluded in all countries by an excluding list, even if the list has another country', async () => {
    const world = createTriggerFixture();
    const out = await addList(world, { ann: 'ID' });
    world.segmentation.users.set('SG', ['ann', 'bob']).set('ID', ['cy']);
    createTrigger(world.triggerDeps('a')).start();
    const audience = { include: [{ segment: 'riders' }], exclude: [{ list: out }] };
    await world.startCampaign({ countries: ['SG', 'ID'], audience });
    await passTime(world.clock, 2000);
    expect(world.fedUsers('SG')).toEqual(['bob']);
    expect(world.fedUsers('ID')).toEqual(['cy']);
  });

  it('is served in the country of another source if the run does not include the country of the list', async () => {
    const world = createTriggerFixture();
    const list = await addList(world, { ann: 'ID' });
    world.segmentation.users.set('SG', ['ann']);
    createTrigger(world.triggerDeps('a')).start();
    await world.startCampaign({ countries: ['SG'], audience: { include: [{ segment: 'riders' }, { list }] } });
    await passTime(world.clock, 2000);
    expect(world.fedUsers('SG')).toEqual(['ann']);
  });
});
