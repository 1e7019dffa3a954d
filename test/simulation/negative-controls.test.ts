import { describe, expect, it } from 'vitest';
import { walk, type Leaning } from './walk.ts';
import { weakenings } from './weakenings.ts';

const maxSeeds = 1000;

/** Where a protection shows: what has to go wrong for it to be needed. */
const leanings: Record<keyof typeof weakenings, Leaning> = {
  'request keys are not derived from what is called': { fates: ['die-before', 'die-after'] },
  'the status of a lost call is not asked for': { keeping: 'C', manners: ['lost', 'garbage'] },
  'a lost call is asked for at once': { keeping: 'C', manners: ['hang'], fates: [] },
  'the lost call of a lapsed lease is asked for at once': {
    keeping: 'C',
    manners: ['hang'],
    fates: ['freeze-before', 'die-before'],
  },
  // Awake again when the lost call was asked for.
  'a call is sent however late': { keeping: 'C', manners: [], fates: ['freeze-before'], frozenMs: 20_000 },
  'a lost call of class D is sent again': { keeping: 'D', manners: ['lost'], fates: [] },
  'claims are not told who is suppressed': { suppressed: true },
  'a lost claim of suppressed users leaves its key in doubt': {
    suppressed: true,
    keeping: 'B',
    fates: ['die-after', 'freeze-after'],
  },
  'claims are not told that they have a check': { checked: true },
  'a call that was lost is asked about first': { checked: true, keeping: 'B', manners: ['lost'] },
  'a lost claim of a step with a check leaves its key in doubt': {
    checked: true,
    keeping: 'B',
    fates: ['die-after', 'freeze-after'],
  },
  'nobody sweeps': { lossy: 0.3 },
  'results are written under any epoch': { fates: ['freeze-before', 'freeze-after'], manners: ['retryable', 'busy'] },
  'a running step can be claimed while its lease runs': { keeping: 'naive', fates: [], lossy: 0.5 },
  'child batches are not inserted': { keeping: 'B', manners: ['retryable', 'refuse'] },
  'a repeated result counts again': { fates: ['throw-after'] },
  'pages are written under any token': { fates: ['freeze-before'] },
  'a claim does not ask for the step before': {},
  'whom the chain has lost is what the message says': { forged: true, lossy: 0.5, fates: [] },
  'a put-back forgets that its key is open': { keeping: 'B', manners: ['lost', 'refuse'] },
  'a take-over counts no lapse and leaves no key open': {
    keeping: 'B',
    manners: ['answer', 'refuse'],
    fates: ['die-after', 'freeze-after'],
  },
  'the agenda is not written': { keeping: 'B', manners: ['retryable'] },
  'the end of a run leaves its feeds open to writers': { keeping: 'B', fates: ['freeze-before'], deadlineSeconds: 4 },
  'users of whom nobody knows are tried again as if they had failed': {
    retried: true,
    keeping: 'D',
    manners: ['lost'],
    fates: [],
  },
  'workers do not hear of a pause': { paused: true, lossy: 0.5, fates: [] },
  'nobody ends what is quarantined': { poisoned: true, fates: [], manners: [] },
  'nothing is reserved before a call': { budgeted: true, fates: [] },
  'what others have reserved is not seen': { budgeted: true, fates: [] },
  'what may have been applied is given back': { budgeted: true, keeping: 'B', manners: ['lost', 'garbage'], fates: [] },
  'users that go on by themselves lose what is reserved for them': {
    budgeted: true,
    keeping: 'B',
    manners: ['missing'],
  },
  'an ending knows no doubt': { keeping: 'B', manners: ['hang', 'lost'], deadlineSeconds: 6 },
};

/** Where it showed last, when that is far from the first seed: tried before all others. */
const lastShownBy: Partial<Record<keyof typeof weakenings, number>> = {
  'the lost call of a lapsed lease is asked for at once': 323,
  'a call is sent however late': 270,
  'results are written under any epoch': 32,
  'a take-over counts no lapse and leaves no key open': 28,
  'pages are written under any token': 157,
  'the agenda is not written': 16,
  'the end of a run leaves its feeds open to writers': 740,
  'workers do not hear of a pause': 15,
  'what may have been applied is given back': 26,
  'an ending knows no doubt': 16,
};

function* seedsFor(name: string): Generator<number> {
  const [, first] = Object.entries(lastShownBy).find(([each]) => each === name) ?? [];
  if (first !== undefined) yield first;
  for (let seed = 1; seed <= maxSeeds; seed++) yield seed;
}

/** A checker that never fails proves nothing: with one protection taken away, the walks have to show it. */
describe('the witnesses notice when', () => {
  it.each(Object.entries(weakenings))(
    '%s',
    async (name, weakening) => {
      const leaning = Object.entries(leanings).find(([each]) => each === name)?.[1];
      let shownBy = 0;
      let found: string[] = [];
      for (const seed of seedsFor(name)) {
        shownBy = seed;
        found = await walk(seed, leaning, weakening);
        if (found.length > 0) break;
      }
      expect(found).not.toEqual([]);
      expect(await walk(shownBy, leaning)).toEqual([]);
    },
    120_000,
  );
});
