import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { UsageError } from '../frame/usage-error.ts';
import { definitionOf, optionLabel, readDefinition } from './definition.ts';

const flags = {
  name: 'Lapsed riders',
  segment: ['lapsed-riders'],
  countries: 'SG, ID,VN',
  action: ['award-reward={"rewardId":"a=b","units":2}', 'send-message'],
};

const { segment: _segment, ...withoutSegment } = flags;
const { action: _action, ...withoutAction } = flags;

describe('a campaign definition from options', () => {
  test('matches the schema of the API', () => {
    const definition = definitionOf(flags);
    expect(definition).toEqual({
      name: 'Lapsed riders',
      countries: ['SG', 'ID', 'VN'],
      audience: { include: [{ segment: 'lapsed-riders' }] },
      chain: [{ action: 'award-reward', params: { rewardId: 'a=b', units: 2 } }, { action: 'send-message' }],
      schedule: { type: 'now' },
    });
    expect(campaignDefinition.safeParse(definition).success).toBe(true);
  });

  test('contains a canary as a number or a percentage of users', () => {
    expect(definitionOf({ ...flags, canary: '1000' })).toMatchObject({ canary: { users: 1000 } });
    const shared = definitionOf({ ...flags, canary: '2.5%', canaryMaxFailed: 1 });
    expect(shared).toMatchObject({ canary: { percent: 2.5, maxFailedPercent: 1 } });
    expect(campaignDefinition.safeParse(shared).success).toBe(true);
    expect(definitionOf({ ...flags, canary: '20%', canaryChoose: true })).toMatchObject({
      canary: { percent: 20, then: 'choose-variant' },
    });
    expect(() => definitionOf({ ...flags, canaryChoose: true })).toThrow(UsageError);
    expect(optionLabel('/canary/then')).toBe('--canary-choose');
    expect(() => definitionOf({ ...flags, canaryMaxFailed: 1 })).toThrow(UsageError);
    expect(['/canary/percent', '/canary/maxFailedPercent'].map(optionLabel)).toEqual([
      '--canary',
      '--canary-max-failed',
    ]);
  });

  test('contains the time, zone, deadline and priority from the options', () => {
    expect(
      definitionOf({
        ...flags,
        at: '2027-01-15T09:00:00',
        zone: 'Asia/Singapore',
        deadlineSeconds: 60,
        priority: 'low',
      }),
    ).toMatchObject({
      schedule: { type: 'at', time: '2027-01-15T09:00:00', zone: 'Asia/Singapore' },
      deadlineSeconds: 60,
      priority: 'low',
    });
  });

  test('contains several included sources, excluded sources and a hold-out', () => {
    const definition = definitionOf({
      ...flags,
      segment: ['riders', 'eaters'],
      list: ['aud_1'],
      run: ['run_1:failed,unknown@2'],
      excludeSegment: ['staff'],
      excludeList: ['aud_2'],
      excludeRun: ['run_2'],
      holdOut: 10,
      holdOutSeed: 'december',
    });
    expect(definition).toMatchObject({
      audience: {
        include: [
          { segment: 'riders' },
          { segment: 'eaters' },
          { list: 'aud_1' },
          { runId: 'run_1', outcomes: ['failed', 'unknown'], step: 2 },
        ],
        exclude: [{ segment: 'staff' }, { list: 'aud_2' }, { runId: 'run_2' }],
        holdOutPercent: 10,
        holdOutSeed: 'december',
      },
    });
    expect(campaignDefinition.safeParse(definition).success).toBe(true);
  });

  test('needs no segment if an uploaded list is given', () => {
    expect(definitionOf({ ...withoutSegment, list: ['aud_1'] })).toMatchObject({
      audience: { include: [{ list: 'aud_1' }] },
    });
  });

  test('contains budgets and the units per user of each step', () => {
    const definition = definitionOf({ ...flags, budget: ['SG=1000', 'ID=0'], unitsPerUser: ['2', '2=5'] });
    expect(definition).toMatchObject({
      budgets: [
        { country: 'SG', units: 1000 },
        { country: 'ID', units: 0 },
      ],
      chain: [{ unitsPerUser: 2 }, { action: 'send-message', unitsPerUser: 5 }],
    });
    expect(campaignDefinition.safeParse(definition).success).toBe(true);
  });

  test.each([
    ['/audience/include/1/list', '--list'],
    ['/audience/exclude/0/segment', '--exclude-segment'],
    ['/audience/exclude/0/runId', '--exclude-run'],
    ['/audience/holdOutPercent', '--hold-out'],
    ['/budgets/0/country', '--budget'],
    ['/chain/1/unitsPerUser', '--units-per-user 2'],
  ])('reports a problem at %s under the option %s', (pointer, option) => {
    expect(optionLabel(pointer)).toBe(option);
  });

  test.each([
    ['a budget without units', { ...flags, budget: ['SG'] }, 'SG=1000'],
    ['units of a step that does not exist', { ...flags, unitsPerUser: ['3=1'] }, '--units-per-user'],
    ['a malformed earlier run', { ...flags, run: ['run_1:'] }, '--run'],
    ['a seed without a share', { ...flags, holdOutSeed: 'x' }, '--hold-out'],
    ['no segment', withoutSegment, '--segment'],
    ['no action', withoutAction, '--action'],
    ['a zone without a time', { ...flags, zone: 'Asia/Singapore' }, '--at'],
    ['params that are no JSON', { ...flags, action: ['award-reward={units:2}'] }, '--action award-reward'],
  ])('rejects %s with a usage error', (_name, wrong, problem) => {
    expect(() => definitionOf(wrong)).toThrow(UsageError);
    expect(() => definitionOf(wrong)).toThrow(problem);
  });
});

describe('a campaign definition from a file', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-campaign-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is read from standard input if the file is -', async () => {
    expect(await readDefinition({ file: '-' }, Readable.from(['{"name":', '"x"}']))).toEqual({ name: 'x' });
  });

  test.each([
    ['UTF-8', Buffer.from('\ufeff{"name":"José"}')],
    ['UTF-16', Buffer.from('\ufeff{"name":"José"}', 'utf16le')],
  ])('is parsed without a byte order mark in %s', async (_encoding, content) => {
    const file = join(folder, 'campaign.json');
    writeFileSync(file, content);
    expect(await readDefinition({ file }, Readable.from([]))).toEqual({ name: 'José' });
    expect(await readDefinition({ file: '-' }, Readable.from([content]))).toEqual({ name: 'José' });
  });

  test('is rejected if its encoding is not UTF-8, instead of being sent with wrong characters', async () => {
    const latin = Buffer.from('{"name":"José"}', 'latin1');
    await expect(readDefinition({ file: '-' }, Readable.from([latin]))).rejects.toThrow(
      'cannot read standard input: the text is not encoded in UTF-8',
    );
  });

  test('is rejected if options are given as well', async () => {
    await expect(readDefinition({ file: '-', name: 'x' }, Readable.from([]))).rejects.toThrow(UsageError);
  });

  test('is rejected with the name of the file if the file does not exist or is not JSON', async () => {
    await expect(readDefinition({ file: '/no/such/file.json' }, Readable.from([]))).rejects.toThrow(
      '/no/such/file.json',
    );
    await expect(readDefinition({ file: '-' }, Readable.from(['no']))).rejects.toThrow('standard input is no JSON');
  });
});
