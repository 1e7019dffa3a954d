import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

it('integration tests, which share a server, read and end only sessions of their own database', () => {
  const files = globSync('{test,services,shared,cli,sdk}/**/*.integration.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const statements = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/from pg_stat_activity[^;`]*/g)].map(([text]) => ({
      file,
      text,
    })),
  );
  expect(statements.length).toBeGreaterThan(5);
  expect(statements.filter(({ text }) => !text.includes('datname'))).toEqual([]);
});
