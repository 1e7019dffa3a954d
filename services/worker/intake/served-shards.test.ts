import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { servedOf, type ServedScope } from './served-shards.ts';

const createdAt = new Date(0);
const typeOf = (name: string, changes: object = {}) => ({
  name,
  revision: 1,
  enabled: true,
  origin: 'api' as const,
  secrets: {},
  createdAt,
  updatedAt: createdAt,
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

describe('the set of shards that a worker serves', () => {
  it('also contains the shards of disabled action types', () => {
    expect([...served({}).shards.keys()]).toEqual([
      'muster.award-reward.ID',
      'muster.award-reward.SG',
      'muster.send-message.SG',
    ]);
  });

  it.each([
    ['its action types', { actionTypes: ['send-message'] }, ['muster.send-message.SG']],
    ['its countries', { countries: ['ID'] }, ['muster.award-reward.ID']],
    ['action types that are not registered yet', { actionTypes: ['later'] }, []],
  ])('contains only the matching shards if the settings contain %s', (_what, scope, topics) => {
    const { shards, topics: specs } = served(scope);
    expect([...shards.keys()]).toEqual(topics);
    expect(specs.map(({ topic }) => topic)).toEqual(topics);
  });

  it('omits action types whose secrets are missing, and reports the cause', () => {
    const { shards, refusals, actionTypes } = served({ callable: new Set(['send-message']), countries: ['SG'] });
    const cause = 'a secret of it is missing there, or does not open';
    expect(refusals).toEqual([{ actionType: 'award-reward', country: 'SG', cause }]);
    expect([...shards.keys()]).toEqual(['muster.send-message.SG']);
    expect(Object.keys(actionTypes)).toEqual(['award-reward', 'send-message']);
  });

  it('omits action types whose calls may take more than half of the lease, and reports the cause', () => {
    const { shards, refusals, actionTypes } = served({ leaseMs: 30_000 });
    expect([...shards.keys()]).toEqual(['muster.award-reward.ID', 'muster.award-reward.SG']);
    const cause = 'its calls may take 20000 ms, and leases there are 30000 ms: WORKER_LEASE_MS has to be twice as long';
    expect(refusals).toEqual([{ actionType: 'send-message', country: 'SG', cause }]);
    // The types of these shards are kept, so that steps that were claimed before can be finished.
    expect(Object.keys(actionTypes)).toEqual(['award-reward', 'send-message']);
  });
});
