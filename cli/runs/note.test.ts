import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(['run', 'note', 'run_1', ...args], { api });
const written = {
  revision: 1,
  text: 'The app store was down.',
  writtenAt: '2026-11-22T04:00:00.000Z',
  writtenBy: { id: 'key_1', name: 'mei' },
};
const empty = { revision: 2, text: null, writtenAt: written.writtenAt, writtenBy: written.writtenBy };

describe('muster run note', () => {
  it('prints the note and its author', async () => {
    api.answers['GET /v1/runs/run_1/note'] = { status: 200, body: written };
    const { out, notes } = await muster();
    expect(out).toBe('The app store was down.\n');
    expect(notes).toContain('by mei, 2026-11-22 04:00');
  });

  it('stores a text as the note', async () => {
    api.answers['PUT /v1/runs/run_1/note'] = { status: 200, body: written };
    await muster('The app store was down.');
    expect(api.bodies.at(-1)).toEqual({ text: 'The app store was down.' });
  });

  it('removes the note', async () => {
    api.answers['PUT /v1/runs/run_1/note'] = { status: 200, body: empty };
    expect((await muster('--remove')).out).toBe('no note\n');
    expect(api.bodies.at(-1)).toEqual({ text: null });
  });

  it('rejects a text together with --remove', async () => {
    expect((await muster('text', '--remove')).notes).toContain('--remove takes no text');
    expect(api.requests).toEqual([]);
  });
});
