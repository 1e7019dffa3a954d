import { expect, test } from 'vitest';
import { demoEngineConfig } from '../demo/installation/demo-settings.ts';
import { topicsOfFile } from '../../shared/runtime/installation/shard-topics.ts';

test('topicsOfFile returns one topic for each action type and country', () => {
  const topics = topicsOfFile(demoEngineConfig('http://127.0.0.1', 1000), 'muster');
  expect(topics.map(({ topic }) => topic)).toEqual(
    ['award-reward', 'award-points', 'send-message'].flatMap((action) =>
      ['SG', 'ID', 'VN'].map((country) => `muster.${action}.${country}`),
    ),
  );
  expect(new Set(topics.map(({ partitions }) => partitions))).toEqual(new Set([2]));
});
