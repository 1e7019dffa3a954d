import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { filesFoundBy } from './found-files.ts';

/** Access to the files of a tree, by paths relative to its root with `/` between folders. */
export interface SourceTree {
  /** Undefined if there is no such file. */
  read: (file: string) => string | undefined;
  /** All files below the folder; empty if there is no such folder. */
  filesBelow: (folder: string) => readonly string[];
}

/** Reads each file once. */
export function readTree(root: string): SourceTree {
  const sources = new Map<string, string | undefined>();
  const load = (file: string) => {
    const at = path.join(root, file);
    const source = statSync(at, { throwIfNoEntry: false })?.isFile() ? readFileSync(at, 'utf8') : undefined;
    sources.set(file, source);
    return source;
  };
  return {
    read: (file) => (sources.has(file) ? sources.get(file) : load(file)),
    filesBelow: (folder) => {
      const pattern = `${folder}/**/*.*`;
      return globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' });
    },
  };
}

/** Types are erased: a change of a module that is imported for its types alone is found by the type check. */
const typeImport = /^import type [^;]*;/gm;
const quoted = /(['"`])((?:#client\/|\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*)\1/g;
const moduleName = /\.(?:ts|tsx|mts|mjs|js)$/;

/** The files that can be reached from one by imports, and by paths in quotes: so do tests start processes. */
export interface ImportGraph {
  /** The files themselves among them. */
  reachableFrom(files: readonly string[]): ReadonlySet<string>;
}

/** @param ends modules whose own mentions do not count, because they start a different program for each caller */
export function createImportGraph(tree: SourceTree, ends: readonly string[] = []): ImportGraph {
  const known = new Map<string, readonly string[]>();
  const mentionedIn = (file: string) => {
    const edges = known.get(file) ?? (ends.includes(file) ? [] : findMentions(file, tree));
    known.set(file, edges);
    return edges;
  };
  return {
    reachableFrom: (files) => {
      const reached = new Set(files);
      for (const file of reached) for (const mentioned of mentionedIn(file)) reached.add(mentioned);
      return reached;
    },
  };
}

function findMentions(file: string, tree: SourceTree): string[] {
  if (!moduleName.test(file)) return [];
  const source = tree.read(file)?.replaceAll(typeImport, '') ?? '';
  const texts = new Set([...source.matchAll(quoted)].map(([, , text = '']) => text));
  const found = filesFoundBy(file, (folder) => tree.filesBelow(folder));
  return [...found, ...[...texts].flatMap((text) => resolveMention(text, file, tree))];
}

/** Paths in quotes are relative to the file's folder or to the root. A folder stands for all that is in it. */
function resolveMention(text: string, from: string, tree: SourceTree): string[] {
  const own = path.posix.join(path.posix.dirname(from), text);
  const candidates = text.startsWith('#client/')
    ? [text.replace('#client/', 'sdk/generated/')]
    : [own, path.posix.normalize(text)];
  if (moduleName.test(text)) return candidates.filter((file) => tree.read(file) !== undefined).slice(0, 1);
  // A folder of the product is named with a folder above it; a single word is some other text.
  const folders = candidates.filter((folder) => /^(?:deploy|docs|migrations)(?:\/|$)/.test(folder));
  return text.includes('/') ? folders.flatMap((folder) => [...tree.filesBelow(folder)]) : [];
}
