import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** In a process of its own: it takes its settings from the environment, and writes some there. */
const unpack = 'const { default: chromium } = await import(process.argv[1]); await chromium.executablePath();';

/** The fonts.conf of the package names the folder that it was made for. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Unpacks the browser of @sparticuz/chromium beside the package, once: whole or absent. By itself it would take whatever
 * lies as `chromium` in the machine's folder for temporary files, of another version or half written by another run.
 *
 * @param packageFolder where npm put the package
 * @returns the folder with `chromium`, the libraries that a bare machine lacks in `al2023/lib`, and `fonts`
 * @throws when the package could not unpack it
 */
export async function unpackChromium(packageFolder: string): Promise<string> {
  const folder = join(packageFolder, 'unpacked');
  if (existsSync(folder)) return folder;
  // Two who unpack at once both do it, and one is taken.
  const partial = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(partial);
    // Its libraries are unpacked only where it believes to be at the place that it was made for.
    const env = { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
    const entry = pathToFileURL(join(packageFolder, 'build/esm/index.js')).href;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack, entry], { env });
    await writeFile(join(partial, 'fonts/fonts.conf'), fontsConf);
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}
