import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../tiers/commands.ts';

const pages = globSync(
  ['*.md', 'docs/**/*.md', 'sdk/{,*/}*.md', 'benchmarks/**/*.md', 'services/*/*.md', 'shared/*/*.md', 'test/*.md'],
  {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  },
).toSorted();

const texts = new Map(pages.map((page) => [page, readFileSync(path.join(root, page), 'utf8')]));

/** Returns the text without code, which is not prose. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^( *)(```|~~~).*?^\1\2 *$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ''));
}

interface Link {
  page: string;
  target: string;
  /** Path relative to the root. Ends with a slash for a folder. */
  file: string;
  anchor: string;
}

function linksOf(page: string): Link[] {
  return [...withoutCode(texts.get(page) ?? '').matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [name = '', anchor = ''] = target.split('#');
      const file = name === '' ? page : path.normalize(path.join(path.dirname(page), name));
      return { page, target, file, anchor };
    });
}

/** Returns the anchors of headings, named like GitHub's. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...withoutCode(texts.get(page) ?? '').matchAll(/^#{1,6} (.*)$/gm)].map(
    ([, heading = '']) => heading,
  );
  return new Set(
    headings.map((heading) => {
      const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = plain.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

const links = pages.flatMap(linksOf);
const reported = ({ page, target }: Link) => `${page}: ${target}`;

function exists(file: string): boolean {
  return statSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined;
}

describe('pages of the documentation', () => {
  it('link only to existing files', () => {
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter(({ file }) => !exists(file)).map(reported)).toEqual([]);
  });

  it('link only to existing headings', () => {
    const lost = links.filter(({ file, anchor }) => anchor !== '' && texts.has(file) && !anchorsOf(file).has(anchor));
    expect(lost.map(reported)).toEqual([]);
  });

  it('are all reachable from docs/README.md', () => {
    const reached = new Set(['docs/README.md']);
    for (const page of reached) {
      for (const { file } of linksOf(page)) {
        const isFolder = exists(file) && statSync(path.join(root, file)).isDirectory();
        const inside = isFolder ? pages.filter((each) => each.startsWith(`${file.replace(/\/$/, '')}/`)) : [file];
        for (const each of inside) if (texts.has(each)) reached.add(each);
      }
    }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  it('begin with twelve pages for newcomers', () => {
    const [, first = ''] = /## First of all\n(.*?)\n## /s.exec(texts.get('docs/README.md') ?? '') ?? [];
    expect([...first.matchAll(/^\d+\. \[/gm)]).toHaveLength(12);
  });
});
