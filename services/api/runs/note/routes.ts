import { z } from 'zod';
import { runNote, writtenRunNote } from '../../../../shared/contracts/runs/run-notes.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { callerOf } from '../../access/scopes.ts';
import type { ApiParts } from '../../api-parts.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import { notFound } from '../../frame/http-problem.ts';
import { entityTag, expectedRevision, ifMatchHeaders, revisedSince } from '../../frame/if-match.ts';
import { requireId } from '../../frame/public-ids.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';

const byId = z.object({ id: z.string().describe('run_…') });
const tags = ['runs'];

/** Registers the routes of a run's note, in which people explain its results to later readers. */
export function routes(server: HttpServer, { pool }: Pick<ApiParts, 'pool'>): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/note',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getRunNote',
      summary: 'Show the note on a run',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The note; its text is null if there is none', runNote) },
    },
    handler: async ({ params: { id } }, reply) => {
      const note = await readNote(pool, id);
      return reply.header('etag', entityTag(note.revision)).send(viewOf(note));
    },
  });

  server.route({
    method: 'PUT',
    url: '/runs/:id/note',
    config: { role: 'manager', scope: 'campaign', audit: 'wrote a note on a run' },
    schema: {
      operationId: 'writeRunNote',
      summary: 'Write, change or remove the note on a run',
      description:
        'Possible at any time, also after the run has ended. With `If-Match`, only if the note has not changed since.',
      tags,
      headers: ifMatchHeaders,
      params: byId,
      body: writtenRunNote,
      response: { 200: jsonAnswer('The current note', runNote), ...problems(412) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const expected = expectedRevision(request.headers['if-match']);
      const before = await readNote(pool, id);
      request.auditDetail = { from: before.text, to: request.body.text };
      const change = { runId: requireId('run', id), text: request.body.text, by: callerOf(request).key, expected };
      const { rowCount } = await pool.query(writeNote.with(change));
      const note = await readNote(pool, id);
      if (rowCount !== 1) throw revisedSince(`the note on ${id}`, note.revision);
      return reply.header('etag', entityTag(note.revision)).send(viewOf(note));
    },
  });
}

interface NoteRow {
  /** Revision of the note; 0 means that the run never had a note. */
  revision: number;
  text: string | null;
  writtenAt: Date | null;
  keyId: string | null;
  keyName: string | null;
}

/**
 * Returns the note of a run.
 * @throws {HttpProblem} 404 if the run does not exist
 */
async function readNote(pool: ApiParts['pool'], id: string): Promise<NoteRow> {
  const { rows } = await pool.query<NoteRow>(selectNote, [requireId('run', id)]);
  const [note] = rows;
  if (!note) throw notFound('run', id);
  return note;
}

function viewOf({ revision, text, writtenAt, keyId, keyName }: NoteRow): z.output<typeof runNote> {
  const writtenBy = keyId === null ? null : { id: publicId('apiKey', keyId), name: keyName ?? '' };
  return { revision, text, writtenAt: writtenAt?.toISOString() ?? null, writtenBy };
}

const selectNote = `
  select coalesce(n.revision, 0) as revision, n.text, n.written_at as "writtenAt", n.written_by as "keyId",
    coalesce(k.owner, k.name) as "keyName"
  from runs r left join run_notes n on n.run = r.id left join api_keys k on k.id = n.written_by
  where r.id = $1`;

interface NoteChange {
  runId: string;
  text: string | null;
  by: string;
  /** Revision that the caller expects; null permits any. */
  expected: number | null;
}

/** Writes a note. Changes no row if the note has another revision than the expected one. */
const writeNote = statementOf<NoteChange>(
  'write-run-note',
  ($) => `
  insert into run_notes as n (run, text, written_by)
  select r.id, ${$('text')}, ${$('by')}::uuid from runs r left join run_notes o on o.run = r.id
  where r.id = ${$('runId')}::uuid and coalesce(o.revision, 0) = coalesce(${$('expected')}::int, o.revision, 0)
  on conflict (run) do update
  set revision = n.revision + 1, text = excluded.text, written_by = excluded.written_by, written_at = now()
  where n.revision = coalesce(${$('expected')}::int, n.revision)`,
);
