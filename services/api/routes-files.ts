import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { ApiParts } from './api-parts.ts';
import type { HttpServer } from './frame/server/create-http-server.ts';
import type { HttpProblem } from './frame/http-problem.ts';

type RegisterRoutes = (server: HttpServer, parts: ApiParts) => void | Promise<void>;

const registerRoutes = z.custom<RegisterRoutes>(isFunction, 'has to be a function');

/** Exports of a file `routes.ts`. Unknown exports are refused, because they may be misspelt. */
const routesExports = z.strictObject({
  /** Registers routes below `/v1`. Their callers are authenticated, and their changes are recorded in the audit log. */
  routes: registerRoutes,
  /** Registers routes by their full path, in a Fastify scope of their own without authentication. */
  openRoutes: registerRoutes.optional(),
  /** Tags of the OpenAPI document that the folder describes. Routes of any folder may use them. */
  tags: z.array(z.strictObject({ name: z.string(), description: z.string() })).default([]),
  /** Returns the problem for an error that handlers of the folder throw; undefined for any other error. */
  explain: z.custom<(error: unknown) => HttpProblem | undefined>(isFunction, 'has to be a function').optional(),
});

export interface RoutesFile extends z.infer<typeof routesExports> {
  file: string;
}

/**
 * Imports each `routes.ts` below a folder, in the order of paths.
 * @throws {Error} with the path of a file that has other exports
 */
export async function findRoutesFiles(folder: string): Promise<RoutesFile[]> {
  const files = globSync('**/routes.ts', { cwd: folder }).toSorted();
  return await Promise.all(
    files.map(async (file) => {
      const exports: unknown = await import(pathToFileURL(path.join(folder, file)).href);
      const { data, error } = routesExports.safeParse(exports);
      if (data) return { file, ...data };
      throw new Error(`${file} is not a routes file:\n${z.prettifyError(error)}`);
    }),
  );
}

/** Returns the tags of all files, in alphabetical order. @throws {Error} for a tag that two files describe */
export function tagsOf(files: readonly Pick<RoutesFile, 'file' | 'tags'>[]): RoutesFile['tags'] {
  const owners = new Map<string, string>();
  for (const { file, tags } of files) {
    for (const { name } of tags) {
      const other = owners.get(name);
      if (other !== undefined) throw new Error(`the tag "${name}" is described by ${other} and by ${file}`);
      owners.set(name, file);
    }
  }
  return files.flatMap(({ tags }) => tags).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
