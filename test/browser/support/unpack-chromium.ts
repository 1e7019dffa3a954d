import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/**
 * Unpacking runs in its own process, because the package reads settings from the environment and changes some of them.
 */
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
 * Unpacks the browser of @sparticuz/chromium beside the package, once and completely. The package alone would reuse any
 * file `chromium` in the folder for temporary files, even one of another version or one that another process has not
 * finished.
 *
 * @param packageFolder folder into which npm installed the package
 * @returns the folder with `chromium`, libraries that a minimal machine lacks in `al2023/lib`, and `fonts`
 * @throws if the package could not unpack the browser
 */
export async function unpackChromium(packageFolder: string): Promise<string> {
  const folder = join(packageFolder, 'unpacked');
  if (existsSync(folder)) return folder;
  // If two processes unpack at the same time, each unpacks its own copy, and one copy is kept.
  const partial = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(partial);
    // The package unpacks its libraries only if these variables name the platform that it was built for.
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
