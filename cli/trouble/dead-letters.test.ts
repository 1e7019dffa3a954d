import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

describe('dead letters', () => {
  const letter = {
    ...{ id: 'dlt_1', topic: 'muster.award-reward.SG', partition: 3, offset: 7, reason: 'not JSON', state: 'kept' },
    ...{ replays: 0, bytes: 7, createdAt: '2026-11-22T01:02:03.000Z', settledAt: null },
  };

  test('are listed by topic and reason, and one by one on demand', async () => {
    const group = {
      topic: letter.topic,
      reason: 'not JSON',
      letters: 1200,
      firstAt: letter.createdAt,
      lastAt: letter.createdAt,
    };
    api.answers['GET /v1/dead-letters/groups?topic=muster.award-reward.SG'] = ok({ items: [group], next: null });
    const grouped = await muster(['dead-letters', 'list', '--topic', letter.topic]);
    expect(grouped.out).toContain('1,200');
    expect(grouped.out).toContain('not JSON');
    api.answers['GET /v1/dead-letters?state=kept&limit=50'] = ok({ items: [letter], next: 'dlt_1' });
    const { out, notes } = await muster(['dead-letters', 'list', '--letters', '--state', 'kept']);
    expect(out).toContain('dlt_1');
    expect(notes).toBe('more: --cursor dlt_1\n');
    api.answers['GET /v1/dead-letters/groups'] = ok({ items: [], next: null });
    expect((await muster(['dead-letters', 'list'])).out).toBe('no dead letters\n');
  });

  test('are shown with their bytes', async () => {
    const value = { encoding: 'text', content: 'no JSON' };
    api.answers['GET /v1/dead-letters/dlt_1'] = ok({ ...letter, replays: 1, key: null, value, cut: false });
    expect((await muster(['dead-letters', 'show', 'dlt_1'])).out).toBe(
      'dlt_1 kept, published again once\nmuster.award-reward.SG, partition 3, offset 7, 2026-11-22 01:02 UTC\nnot JSON\n\n(text, 7 bytes)\nno JSON\n',
    );
  });

  test('are replayed and discarded by id, by filter or all', async () => {
    api.answers['POST /v1/dead-letters/dlt_1/replay'] = ok({ ...letter, state: 'replaying' });
    expect((await muster(['dead-letters', 'replay', 'dlt_1'])).out).toBe('dlt_1 replaying\n');
    api.answers['POST /v1/dead-letters/replay'] = ok({ letters: 1 });
    const replayed = await muster(['dead-letters', 'replay', '--reason', 'not JSON']);
    expect(replayed.out).toBe('1 letter is to be published again\n');
    api.answers['POST /v1/dead-letters/discard'] = ok({ letters: 1200 });
    expect((await muster(['dead-letters', 'discard', '--all'])).out).toBe('1,200 letters are discarded\n');
    expect(api.bodies).toEqual([{ reason: 'not JSON' }, {}]);
    expect((await muster(['dead-letters', 'discard'])).code).toBe(exitCodes.usage);
  });
});
