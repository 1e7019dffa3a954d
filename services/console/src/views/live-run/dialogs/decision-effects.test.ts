import { describe, expect, it } from 'vitest';
import { cancelPreview, progress } from '../../../../testing/runs/live-run.ts';
import { cancelEffects, pauseEffects, resumeEffects } from './decision-effects.ts';

const [first, second] = progress.steps;
if (!first || !second) throw new Error('the recorded run has two steps');
const steps = [
  { ...first, action: 'award-reward', succeeded: 586, pending: 1200 },
  { ...second, action: 'send-message', succeeded: 400, pending: 1300 },
];
const run = { ...progress, steps, inFlight: 1, waitingForRetry: 3, deadlineAt: '2026-11-24T04:00:00Z' };
const moment = { nowMs: Date.parse('2026-11-24T01:00:00Z'), timeOf: () => '04:00' };
const preview = {
  ...cancelPreview,
  notFedUsers: 0,
  timeToStopMs: 12_000,
  notStartedUsers: 1200,
  halfWayUsers: 100,
  inFlight: { batches: 1, users: 50 },
  waiting: 3,
};

describe('the effects of a pause', () => {
  it('list batches that finish or wait, pending users, and the deadline', () => {
    const effects = pauseEffects(run, { ...moment, preview });
    expect(effects.map(({ value, unit, lead }) => `${value} ${unit}: ${lead ?? ''}`)).toEqual([
      '1 batch in flight: Finishes and is recorded.',
      '3 batches to retry: Are kept.',
      '1,300 users pending: Wait.',
      '04:00 deadline: Keeps running,',
    ]);
    expect(effects[0]?.children).toContain('The last answer arrives within 12 s');
    expect(effects[2]?.children).toBe('1,200 have no step yet, 100 have “Award reward” but not yet “Send message”.');
    expect(effects[3]?.children).toContain('3 h left');
  });

  it('use the numbers of one preview, as the table by country does', () => {
    const older = { ...run, inFlight: 9, waitingForRetry: 8, steps: steps.map((line) => ({ ...line, pending: 7 })) };
    const values = pauseEffects(older, { ...moment, preview }).map(({ value }) => value);
    expect(values.slice(0, 3)).toEqual(['1', '3', '1,300']);
  });

  it('do not need the preview of the engine', () => {
    const [inFlight] = pauseEffects(run, moment);
    expect(inFlight?.children).toContain('within the timeout of the endpoints');
  });

  it('count users that are not yet read from the audience as an estimate', () => {
    const effects = pauseEffects(run, { ...moment, preview: { ...preview, notFedUsers: 18_400 } });
    expect(effects[2]?.children).toMatch(/About 18,?\.?4.* more are not fed yet\.$/);
  });

  it('mark a deadline that has passed', () => {
    const late = { ...moment, nowMs: Date.parse('2026-11-24T05:00:00Z') };
    expect(pauseEffects(run, late).at(-1)?.children).toContain('and has passed');
    expect(pauseEffects({ ...run, deadlineAt: null }, late)).toHaveLength(3);
  });

  it('show the day below the time of a deadline on another day', () => {
    const timeOf = () => 'Mon 23 Nov, 01:55';
    expect(pauseEffects(run, { ...moment, timeOf }).at(-1)).toMatchObject({
      value: '01:55',
      unit: 'deadline, Mon 23 Nov',
    });
  });
});

describe('the effects of a resume', () => {
  it('list the steps at which users continue', () => {
    const [pending] = resumeEffects(run, { ...moment, preview });
    expect(pending?.children).toBe('1,200 begin with step 1, 100 with their next step. No user gets a step twice.');
  });
});

describe('the effects of a resumed canary', () => {
  const canary = { ...preview, notStartedUsers: 0, halfWayUsers: 0, notFedUsers: 118_812 };

  it('count users that are not yet read from the audience, as an estimate', () => {
    const [pending] = resumeEffects(run, { ...moment, preview: canary });
    expect(pending).toMatchObject({ value: '118,800', unit: 'users pending (estimate)' });
    expect(pending?.children).toContain('About 118,800 more are not fed yet, and begin later.');
  });

  it.each([
    [null, 'An unknown number of users is not fed yet'],
    [undefined, 'Users that are not fed yet are still being counted.'],
  ])('include an unknown number of users that are not yet read from the audience: %s', (notFedUsers, words) => {
    const counts = notFedUsers === undefined ? undefined : { ...canary, notFedUsers };
    const [pending] = resumeEffects(run, { ...moment, preview: counts });
    expect(pending).toMatchObject({ unit: 'users pending, or more' });
    expect(pending?.children).toContain(words);
  });

  it('are an exact number once every user is read from the audience', () => {
    const [pending] = resumeEffects(run, { ...moment, preview });
    expect(pending).toMatchObject({ value: '1,300', unit: 'users pending' });
    expect(pending?.children).not.toContain('fed');
  });
});

describe('the effects of a cancellation', () => {
  const counted = { ...preview, endedUsers: 420, notStartedUsers: 1200, halfWayUsers: 1 };

  it('highlight half-way users, with the step that they will not get', () => {
    const [through, halfWay, untouched, inFlight] = cancelEffects(counted, { steps });
    expect(through).toMatchObject({ value: '400', unit: 'users are through' });
    expect(through?.children).toContain('20 more have failed or are held out');
    expect(halfWay).toMatchObject({ value: '1', unit: 'user half-way', isHot: true });
    expect(halfWay?.lead).toBe('Have “Award reward” and will not get “Send message”.');
    expect(untouched?.children).toBe('and end as cancelled in both steps.');
    expect(inFlight?.children).toContain('New calls stop within 2 s.');
  });

  it('omit half-way users if the chain has one step', () => {
    const effects = cancelEffects({ ...counted, halfWayUsers: 0 }, { steps: steps.slice(0, 1) });
    expect(effects.map(({ unit }) => unit).some((unit) => unit.includes('half-way'))).toBe(false);
    expect(effects[1]?.children).toBe('and end as cancelled.');
  });

  it('do not name the steps of a chain with more than two', () => {
    const [, halfWay, untouched] = cancelEffects(counted, { steps: [...steps, { ...second, step: 3 }] });
    expect(halfWay?.lead).toBe('Have some steps and will not get the rest.');
    expect(untouched?.children).toBe('and end as cancelled in every step.');
  });

  it.each([
    [null, ' An unknown number of users is not fed yet, and never will be.'],
    [0, ''],
    [500, ' About 500 more are not fed yet, and never will be.'],
  ])('count users that are not yet read from the audience: %s', (notFedUsers, words) => {
    const [, , untouched] = cancelEffects({ ...counted, notFedUsers }, { steps });
    expect(untouched?.children).toBe(`and end as cancelled in both steps.${words}`);
  });
});
