import { describe, expect, it } from 'vitest';
import { choosePeers } from './chosen-peers.ts';

describe('the choice of peers', () => {
  it('takes both groups by default, one group by its name, and one peer from both groups', () => {
    expect(choosePeers(undefined)).toMatchObject({ part: undefined, equal: { length: 5 }, unequal: { length: 4 } });
    expect(choosePeers('equal')).toMatchObject({ part: 'equal', equal: { length: 5 }, unequal: [] });
    expect(choosePeers('bullmq')).toMatchObject({ equal: [{ name: 'bullmq' }], unequal: [{ queue: 'bullmq' }] });
  });

  it('names all peers if it does not know one', () => {
    expect(() => choosePeers('sidekiq')).toThrow(
      '--only sidekiq: there are equal, unequal, graphile-worker, pg-boss, bullmq, restate, dbos, no-queue',
    );
  });
});
