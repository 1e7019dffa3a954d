import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';

/** Upper bound on the scripts and styles that the first page loads, compressed. */
const initialLimitBytes = 350 * 1024;

const chunk = z.object({
  file: z.string(),
  isEntry: z.boolean().default(false),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
});

type Manifest = ReadonlyMap<string, z.infer<typeof chunk>>;

export interface InitialLoad {
  bytes: number;
  limit: number;
}

/**
 * Returns the initial load of the console that was built into a folder.
 * @throws if the load is above 350 KiB; the message names the files, the largest first
 */
export async function checkBudget(folder: string): Promise<InitialLoad> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8');
  const manifest = new Map(Object.entries(z.record(z.string(), chunk).parse(JSON.parse(text))));
  const sizes = await Promise.all(
    initialFiles(manifest).map(async (file) => ({ file, bytes: gzipSync(await readFile(join(folder, file))).length })),
  );
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
  if (bytes > initialLimitBytes) {
    const list = sizes.toSorted((a, b) => b.bytes - a.bytes).map((each) => `${each.file} ${each.bytes}`);
    throw new Error(
      `the console's initial load has ${bytes} bytes compressed, the limit is ${initialLimitBytes}: ${list.join(', ')}`,
    );
  }
  return { bytes, limit: initialLimitBytes };
}

/** Returns the entry and all files that it imports before it runs. Views are loaded when they are opened. */
export function initialFiles(manifest: Manifest): string[] {
  const open = [...manifest].filter(([, { isEntry }]) => isEntry).map(([name]) => name);
  const names = new Set(open);
  for (const name of names) manifest.get(name)?.imports.forEach((each) => names.add(each));
  const chunks = [...names].flatMap((name) => manifest.get(name) ?? []);
  return [...new Set(chunks.flatMap(({ file, css }) => [file, ...css]))];
}
