import { describe, expect, it } from 'vitest';
import { walk, type Leaning } from './walk.ts';
import { weakenings } from './weakenings.ts';

const maxSeeds = 1000;

/** Faults that are needed to show each protection. */
const leanings: Record<keyof typeof weakenings, Leaning> = {
  'request keys are not derived from the call': { fates: ['die-before', 'die-after'] },
  'the status of a lost call is not queried': { keeping: 'C', manners: ['lost', 'garbage'] },
  'the status of a lost call is queried too early': { keeping: 'C', manners: ['hang'], fates: [] },
  'the status of a lost call under an expired lease is queried too early': {
    keeping: 'C',
    manners: ['hang'],
    fates: ['freeze-before', 'die-before'],
  },
  // The frozen worker continues after another worker has queried the lost call.
  'a call is sent regardless of its age': { keeping: 'C', manners: [], fates: ['freeze-before'], frozenMs: 20_000 },
  'a lost call of class D is sent again': { keeping: 'D', manners: ['lost'], fates: [] },
  'claims do not return suppressed users': { suppressed: true },
  'a lost claim of suppressed users leaves its key in doubt': {
    suppressed: true,
    keeping: 'B',
    fates: ['die-after', 'freeze-after'],
  },
  'claims do not return their check': { checked: true },
  'a check is made for a call that was lost': { checked: true, keeping: 'B', manners: ['lost'] },
  'a lost claim of a step with a check leaves its key in doubt': {
    checked: true,
    keeping: 'B',
    fates: ['die-after', 'freeze-after'],
  },
  'no trigger sweeps': { lossy: 0.3 },
  'results are written under any epoch': { fates: ['freeze-before', 'freeze-after'], manners: ['retryable', 'busy'] },
  'a running step can be claimed while its lease runs': { keeping: 'naive', fates: [], lossy: 0.5 },
  'child batches are not inserted': { keeping: 'B', manners: ['retryable', 'refuse'] },
  'a repeated result counts again': { fates: ['throw-after'] },
  'pages are written under any token': { fates: ['freeze-before'] },
  'a claim does not require the previous step': {},
  'lost users are taken from the message instead of the rows': { forged: true, lossy: 0.5, fates: [] },
  'a release forgets that its key is open': { keeping: 'B', manners: ['lost', 'refuse'] },
  'a take-over counts no expired lease and closes the key': {
    keeping: 'B',
    manners: ['answer', 'refuse'],
    fates: ['die-after', 'freeze-after'],
  },
  'the agenda is not written': { keeping: 'B', manners: ['retryable'] },
  'the end of a run leaves its feeds open to writers': { keeping: 'B', fates: ['freeze-before'], deadlineSeconds: 4 },
  'unknown users are retried as if they had failed': {
    retried: true,
    keeping: 'D',
    manners: ['lost'],
    fates: [],
  },
  'workers do not receive a pause': { paused: true, lossy: 0.5, fates: [] },
  'quarantined steps are never ended': { poisoned: true, fates: [], manners: [] },
  'nothing is reserved before a call': { budgeted: true, fates: [] },
  'reservations of other batches are ignored': { budgeted: true, fates: [] },
  'units of a possible call are freed': { budgeted: true, keeping: 'B', manners: ['lost', 'garbage'], fates: [] },
  'child batches lose their reservations': {
    budgeted: true,
    keeping: 'B',
    manners: ['missing'],
  },
  'effects are not reserved for caps': { capped: true, keeping: 'B', fates: [], manners: [] },
  'claims do not return capped users': { capped: true, keeping: 'B', fates: [], manners: [] },
  'effects of a possible call are freed': { capped: true, keeping: 'B', manners: ['hang', 'lost'], fates: [] },
  'child batches lose their effects': { capped: true, keeping: 'B', manners: ['missing', 'retryable'], fates: [] },
  'an ending ignores calls in doubt': { keeping: 'B', manners: ['hang', 'lost'], deadlineSeconds: 6 },
};

/** Seeds that showed the missing protection last, if far from the first seed. They are tried first. */
const lastDisplayedBy: Partial<Record<keyof typeof weakenings, number>> = {
  'the status of a lost call under an expired lease is queried too early': 323,
  'a call is sent regardless of its age': 270,
  'results are written under any epoch': 32,
  'a take-over counts no expired lease and closes the key': 28,
  'pages are written under any token': 157,
  'the agenda is not written': 16,
  'the end of a run leaves its feeds open to writers': 740,
  'workers do not receive a pause': 15,
  'units of a possible call are freed': 26,
  'an ending ignores calls in doubt': 16,
};

function* seedsFor(name: string): Generator<number> {
  const [, first] = Object.entries(lastDisplayedBy).find(([each]) => each === name) ?? [];
  if (first !== undefined) yield first;
  for (let seed = 1; seed <= maxSeeds; seed++) yield seed;
}

/** A checker that never fails proves nothing: with one protection removed, the walks have to detect it. */
describe('the checks of the simulation detect when', () => {
  it.each(Object.entries(weakenings))(
    '%s',
    async (name, weakening) => {
      const leaning = Object.entries(leanings).find(([each]) => each === name)?.[1];
      let displayedBy = 0;
      let found: string[] = [];
      for (const seed of seedsFor(name)) {
        displayedBy = seed;
        found = await walk(seed, leaning, weakening);
        if (found.length > 0) break;
      }
      expect(found).not.toEqual([]);
      expect(await walk(displayedBy, leaning)).toEqual([]);
    },
    120_000,
  );
});
