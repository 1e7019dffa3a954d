import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { campaignDefinition } from '../../shared/contracts/campaigns.ts';
import { UsageError } from '../usage-error.ts';
import { definitionOf, readDefinition } from './definition.ts';

const flags = {
  name: 'Lapsed riders',
  segment: 'lapsed-riders',
  countries: 'SG, ID,VN',
  action: ['award-reward={"rewardId":"a=b","units":2}', 'send-message'],
};

describe('a campaign from options', () => {
  test('becomes the definition that the API takes', () => {
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

  test('carries time, zone, deadline and priority where they are given', () => {
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

  test.each([
    ['no segment', { ...flags, segment: undefined }, '--segment'],
    ['no action', { ...flags, action: undefined }, '--action'],
    ['a zone without a time', { ...flags, zone: 'Asia/Singapore' }, '--at'],
    ['params that are no JSON', { ...flags, action: ['award-reward={units:2}'] }, '--action award-reward'],
  ])('%s is a usage error', (_name, wrong, told) => {
    expect(() => definitionOf(wrong)).toThrow(UsageError);
    expect(() => definitionOf(wrong)).toThrow(told);
  });
});

describe('a campaign from a file', () => {
  test('- reads standard input, and sends what it holds', async () => {
    expect(await readDefinition({ file: '-' }, Readable.from(['{"name":', '"x"}']))).toEqual({ name: 'x' });
  });

  test('options beside a file are refused', async () => {
    await expect(readDefinition({ file: '-', name: 'x' }, Readable.from([]))).rejects.toThrow(UsageError);
  });

  test('a file that is not there, and one that is no JSON, are named', async () => {
    await expect(readDefinition({ file: '/no/such/file.json' }, Readable.from([]))).rejects.toThrow(
      '/no/such/file.json',
    );
    await expect(readDefinition({ file: '-' }, Readable.from(['no']))).rejects.toThrow('standard input is no JSON');
  });
});
