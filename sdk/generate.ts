import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';

/** What the library is about: shapes that other routes alone use are left out. */
const tags = ['jobs', 'clients'];

export const typesFile = new URL('./api-types.ts', import.meta.url);

const operation = z.looseObject({ tags: z.array(z.string()).default([]) });
const openApi = z.looseObject({
  openapi: z.string(),
  info: z.unknown(),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** The types of what is sent and answered, written from an OpenAPI document. */
export async function typesOf(document: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-sdk-'));
  try {
    const input = join(folder, 'openapi.json');
    await writeFile(input, JSON.stringify(shapesOf(document)));
    await createClient({
      input,
      output: { path: join(folder, 'out') },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    const written = await readFile(join(folder, 'out/types.gen.ts'), 'utf8');
    return await format(written, { ...(await resolveConfig(typesFile)), parser: 'typescript' });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The shapes that our routes lead to, and nothing else. */
function shapesOf(document: unknown) {
  const { openapi, info, paths, components } = openApi.parse(document);
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const ours = operations.filter((each) => each.tags.some((tag) => tags.includes(tag)));
  const names = new Set<string>();
  const open = [JSON.stringify(ours)];
  for (const text of open) {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      open.push(JSON.stringify(components.schemas[name]));
    }
  }
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => names.has(name)));
  return { openapi, info, paths: {}, components: { schemas } };
}
