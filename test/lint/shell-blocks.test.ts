import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../tiers/commands.ts';

const pages = globSync(['*.md', 'docs/**/*.md', 'sdk/{,*/}*.md'], { cwd: root }).toSorted();

/** Returns the shell blocks of a page without their indents. */
const blocksOf = (page: string) =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^( *)```(?:sh|bash|shell)\n(.*?)^\1```$/gms)].map(
    ([, , block = '']) => block,
  );

/** Loops that end only when a condition holds. `while read` is no such loop, because it ends with its input. */
const endlessLoop = /(?:^|[;&|({]|\bdo|\bthen)\s*(?:until\b|while\b(?! (?:IFS=\S* )?read\b)|for \(\( *;)/gm;

describe('a loop in a shell block of a page', () => {
  it('has a bound, because its condition may never hold', () => {
    const found = pages.flatMap((page) =>
      blocksOf(page).flatMap((block) => (block.match(endlessLoop) ?? []).map((loop) => `${page}: ${loop.trim()}`)),
    );
    expect(found).toEqual([]);
  });

  it.each([
    'until a; do b; done',
    'x &\nwhile true; do b; done',
    'a && { until b; do c; done; }',
    'for ((;;)); do a; done',
  ])('is detected without a bound: %s', (block) => {
    expect(block.match(endlessLoop)).not.toBeNull();
  });

  it.each(['for try in $(seq 9); do a && break; done', 'cat f | while read -r line; do a; done', 'echo until then'])(
    'is accepted with a bound: %s',
    (block) => {
      expect(block.match(endlessLoop)).toBeNull();
    },
  );
});
