import { beforeEach, describe, expect, it } from 'vitest';
import { runNote } from '../../../../shared/contracts/runs/run-notes.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { startFedRun } from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';

const on = apiOnPostgres();

let path: string;
let runId: string;
beforeEach(async () => {
  ({ runId } = await startFedRun(createPostgresExecutionStores(on), [['ann-77']]));
  path = `/v1/runs/${publicId('run', runId)}/note`;
});

const put = (text: string | null, ifMatch?: string) =>
  on.api.server.inject({
    method: 'PUT',
    url: path,
    headers: { ...authorized, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    payload: { text },
  });
const read = async () => {
  const answer = await on.ask('GET', path);
  return { note: runNote.parse(answer.json()), etag: answer.headers.etag };
};

describe('the note on a run', () => {
  it('is empty and has revision 0 until it is written', async () => {
    expect(await read()).toEqual({ note: { revision: 0, text: null, writtenAt: null, writtenBy: null }, etag: '"0"' });
  });

  it('has its text, the time and the name of the key that wrote it', async () => {
    const answer = await put('  Numbers of VN are low: the app store was down.  ');
    expect(answer.statusCode, answer.body).toBe(200);
    const { note, etag } = await read();
    expect(note).toEqual({
      revision: 1,
      text: 'Numbers of VN are low: the app store was down.',
      writtenAt: '2026-01-01T00:00:00.000Z',
      writtenBy: { id: publicId('apiKey', on.key), name: 'a test' },
    });
    expect([etag, answer.headers.etag]).toEqual(['"1"', '"1"']);
  });

  it('is removed by a null text, and its next revision continues the numbering', async () => {
    await put('Wrong.');
    expect((await put(null)).statusCode).toBe(200);
    expect((await read()).note).toMatchObject({ revision: 2, text: null });
  });

  it('is refused if the note has another revision than the caller has read', async () => {
    expect((await put('First.', '"0"')).statusCode).toBe(200);
    const refused = await put('Second.', '"0"');
    expect(refused.statusCode).toBe(412);
    expect(refused.body).toContain('revision 1');
    expect((await put('Third.', '"1"')).statusCode).toBe(200);
    expect((await read()).note).toMatchObject({ revision: 2, text: 'Third.' });
  });

  it('is written by only one of two callers that have read the same revision', async () => {
    const answers = await Promise.all(['One.', 'Another.'].map((text) => put(text, '"0"')));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 412]);
  });

  it.each([
    ['blank', '   '],
    ['longer than 2,000 characters', 'x'.repeat(2001)],
  ])('is refused if its text is %s', async (_, text) => {
    const refused = await put(text);
    expect(refused.statusCode).toBe(422);
    expect(refused.body).toContain('/text');
  });

  it('is not found for a run that does not exist', async () => {
    path = `/v1/runs/${publicId('run', '018f0000-0000-7000-8000-00000000dead')}/note`;
    expect([(await on.ask('GET', path)).statusCode, (await put('x')).statusCode]).toEqual([404, 404]);
  });

  it('is in the audit log with the text before and after each change', async () => {
    await put('First.');
    await put('Second.');
    const details = (await on.rowsOf('audit_log')).map(({ detail }) => detail);
    expect(details).toContainEqual({ from: 'First.', to: 'Second.' });
  });

  it('is deleted with its run', async () => {
    await put('Soon gone.');
    await on.pool.query('delete from feeds where run = $1', [runId]);
    await on.pool.query('delete from runs where id = $1', [runId]);
    expect(await on.rowsOf('run_notes')).toEqual([]);
  });
});
