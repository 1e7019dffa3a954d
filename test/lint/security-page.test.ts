import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const [, list = ''] = page.split('## OWASP API Security Top 10 (2023)');
const sections = list
  .split(/^### (?=\d)/m)
  .slice(1)
  .map((section) => {
    const [risk = ''] = section.split('\n');
    const [, displayedBy = ''] = section.split(/^Shown by /m);
    const [tests = ''] = displayedBy.split('\n\n');
    return { risk, tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) };
  });

/** True if the name is a folder with tests, or a test file without its endings. */
function isTest(name: string): boolean {
  if (globSync(`${name}.{test,integration.test}.ts`, { cwd: root }).length > 0) return true;
  return existsSync(path.join(root, name)) && globSync(`${name}/**/*.test.ts`, { cwd: root }).length > 0;
}

describe('the list of the OWASP API Security Top 10', () => {
  it('has a section for each of the ten risks', () => {
    expect(sections.map(({ risk }) => Number.parseInt(risk, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each(sections)('names only existing tests: $risk', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((name) => !isTest(name))).toEqual([]);
  });
});
