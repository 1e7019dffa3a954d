import { beforeAll, describe, expect, it } from 'vitest';
import type { NewFeed } from '../../services/trigger/ports/run-store.ts';
import type { Segmentation } from '../../shared/ports/segmentation.ts';
import type { StoredAudiences } from '../../shared/ports/stored-audiences.ts';
import type { Weakening } from './processes.ts';
import { findings } from './walk.ts';
import { simulate, type Outcome } from './world.ts';
import { audience, audienceScenario, heldOut, included } from './audience-scenario.ts';

function emptyingSegment(segmentation: Segmentation, name: string): Segmentation {
  return {
    ...segmentation,
    page: async (request, signal) =>
      request.segment === name
        ? { ok: true, value: { users: [], next: null } }
        : await segmentation.page(request, signal),
  };
}

const nobody: StoredAudiences['listPage'] = () => Promise.resolve({ users: [], isLast: true });

function withoutHoldOut(feed: NewFeed): NewFeed {
  return { ...feed, audience: { ...feed.audience, holdOut: null } };
}

describe('a run of three included and three excluded sources with a hold-out of a tenth', () => {
  let undisturbed: Outcome;

  beforeAll(async () => {
    undisturbed = await simulate(audienceScenario(() => 'pass'));
  });

  it('serves exactly the users of the set operations once, and holds out those chosen by the hash', () => {
    const found = findings(
      audienceScenario(() => 'pass'),
      undisturbed,
    );
    expect(found).toEqual([]);
    const line = undisturbed.evidence.lines.get('SG')?.[0];
    expect(line).toMatchObject({ audience: audience.length, heldOut: heldOut.size, pending: 0 });
    const served = audience.filter((user) => !heldOut.has(user) && !user.endsWith('3'));
    expect([...(undisturbed.evidence.effects[0]?.keys() ?? [])].sort()).toEqual(served);
    expect(undisturbed.excluded).toBe(included.length - audience.length);
  });

  it.each<[string, Weakening]>([
    ['an excluded segment is read as empty', { segmentation: (inner) => emptyingSegment(inner, 'staff') }],
    ['excluded lists are read as empty', { storedAudiences: (stored) => ({ ...stored, listPage: nobody }) }],
    [
      'users of an earlier run are excluded whatever their outcome',
      {
        storedAudiences: (stored) => ({
          ...stored,
          earlierPage: ({ feedId, steps }, from) => stored.earlierPage({ feedId, steps }, from),
        }),
      },
    ],
    [
      'held-out users are fed as well',
      {
        runStore: (store) => ({
          ...store,
          begin: (runId, feeds, size) => store.begin(runId, feeds.map(withoutHoldOut), size),
        }),
      },
    ],
  ])('has checks that detect when %s', async (_, weakening) => {
    const weakened = { ...audienceScenario(() => 'pass'), weakening };
    const outcome = await simulate(weakened);
    const found = findings(weakened, outcome);
    if (outcome.excluded !== undisturbed.excluded) found.push(`${outcome.excluded} are excluded`);
    expect(found).not.toEqual([]);
  });
});
