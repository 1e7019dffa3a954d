import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { servedOf, type ServedScope } from './served-shards.ts';

const createdAt = new Date(0);
const typeOf = (name: string, changes: object = {}) => ({
  ...{ name, revision: 1, enabled: true, origin: 'api' as const, secrets: {}, createdAt, updatedAt: createdAt },
  config: actionTypeConfig.parse({ url: 'http://endpoint', class: 'A', ...changes }),
});
const shardOf = (actionType: string, country: string) => ({ actionType, country, partitions: 3, createdAt });
const registry = {
  actionTypes: [typeOf('award-reward'), { ...typeOf('send-message', { timeoutMs: 20_000 }), enabled: false }],
  shards: [shardOf('award-reward', 'ID'), shardOf('award-reward', 'SG'), shardOf('send-message', 'SG')],
};
const everything: ServedScope = { actionTypes: undefined, countries: undefined, leaseMs: 60_000 };
const served = (scope: Partial<ServedScope>) =>
  servedOf(registry, { ...everything, ...scope }, { prefix: 'muster', replicationFactor: 1 });

describe('what a worker serves', () => {
  it('is every shard there is, of disabled types too: what began with them goes on', () => {
    expect([...served({}).shards.keys()]).toEqual([
      'muster.award-reward.ID',
      'muster.award-reward.SG',
      'muster.send-message.SG',
    ]);
  });

  it.each([
    ['its action types', { actionTypes: ['send-message'] }, ['muster.send-message.SG']],
    ['its countries', { countries: ['ID'] }, ['muster.award-reward.ID']],
    ['types that are registered later', { actionTypes: ['later'] }, []],
  ])('is less where its settings name %s', (_what, scope, topics) => {
    const { shards, topics: specs } = served(scope);
    expect([...shards.keys()]).toEqual(topics);
    expect(specs.map(({ topic }) => topic)).toEqual(topics);
  });

  it('leaves out types whose secrets it has not', () => {
    const { shards, actionTypes } = served({ callable: new Set(['send-message']) });
    expect([...shards.keys()]).toEqual(['muster.send-message.SG']);
    expect(Object.keys(actionTypes)).toEqual(['award-reward', 'send-message']);
  });

  it('leaves out types whose calls may take more than half of its leases, and says which', () => {
    const { shards, tooSlow, actionTypes } = served({ leaseMs: 30_000 });
    expect([...shards.keys()]).toEqual(['muster.award-reward.ID', 'muster.award-reward.SG']);
    expect(tooSlow).toEqual(['send-message']);
    // What was claimed before can still be finished.
    expect(Object.keys(actionTypes)).toEqual(['award-reward', 'send-message']);
  });
});
