import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCircles, readFolderImports } from './folder-circles.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * These three import each other: the API describes itself to the client that the console is built with, and serves the
 * console.
 */
const description = ['sdk', 'services/api', 'services/console'];

describe('folders that import each other', () => {
  const circles = findCircles(readFolderImports(root)).filter((circle) => circle.join() !== description.join());

  it('are found, directly or transitively', () => {
    const imports = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] };
    const graph = new Map(Object.entries(imports).map(([folder, used]) => [folder, new Set(used)]));
    expect(findCircles(graph)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  it('do not exist', () => {
    expect(circles).toEqual([]);
  });
});
