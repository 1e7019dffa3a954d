import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inCommands } from '../../cli/api/in-commands.ts';
import { runMuster } from '../../cli/test-muster.ts';
import { replaceOperations } from '../../services/console/src/api/replace-operations.ts';

const api = path.join(import.meta.dirname, '../../services/api');
const route = /(?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^\s'`]*/;

/** Texts of the API's documents, for authors of requests. */
const inDocuments = /^\s*(?:description|summary|\d{3}): |'[^']*`(?:GET|POST) [^`]+`/;

/** Matches lines of a table by operation, which describes requests that were made. */
const inTable = /^\s*'(?:GET|POST|PUT|PATCH|DELETE) [^']+': /;

/** Only a browser has a session. */
const forBrowsersAlone = /GET \/v1\/session\b/;

/** Returns lines of the API's source that tell people to make a request. An id replaces the inserted value. */
function notified(): string[] {
  const files = readdirSync(api, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => readFileSync(path.join(api, file), 'utf8').split('\n'))
    .filter((line) => route.test(line) && !inDocuments.test(line) && !inTable.test(line))
    .map((line) => line.replaceAll(/\$\{[^{}]*\}/g, 'abc_1'));
}

describe('a route named in a message of the API', () => {
  it('is found in the source', () => {
    expect(notified().length).toBeGreaterThanOrEqual(13);
  });

  it.each(notified().filter((line) => !forBrowsersAlone.test(line)))(
    'is rewritten to a command at the command line: %s',
    async (line) => {
      const reported = inCommands(line);
      expect(reported).not.toMatch(route);
      const [, typed = ''] = /`muster ([^`]+)`/.exec(reported.replaceAll('\\`', '`')) ?? [];
      expect(typed).not.toBe('');
      const words = typed.split(' ');
      const isWord = (word: string) => /^[a-z-]+$/.test(word);
      const name = words.slice(0, words.findIndex((word) => !isWord(word)) >>> 0);
      const { code, out } = await runMuster([...name, '--help'], {});
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^Usage: muster ${name.join(' ')}(?: |$)`, 'm'));
    },
  );

  it.each(notified())('is rewritten to a place in the console: %s', (line) => {
    expect(replaceOperations(line)).not.toMatch(route);
  });

  it('keeps the id from its path', () => {
    const text = 'cmp_1 is archived: restore it first (POST /v1/campaigns/cmp_1/unarchive)';
    expect(inCommands(text)).toBe('cmp_1 is archived: restore it first (`muster campaign unarchive cmp_1`)');
    expect(replaceOperations(text)).toBe(
      'cmp_1 is archived: restore it first (“Take out of the archive…” on its page)',
    );
  });

  it('stays unchanged if no command is known for it, or if only its beginning is known', () => {
    for (const text of ['GET /v1/unknown tells it', 'POST /v1/clients/shop/unknown', 'there is no run run_1']) {
      expect(inCommands(text)).toBe(text);
      expect(replaceOperations(text)).toBe(text);
    }
  });
});
