import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { billOf, npmBill } from './bill-of-materials.ts';

/** `node write-bill.ts <folder> <type> <file>` writes the bill of materials of a package in CycloneDX format. */
const [folder, type, file] = z
  .tuple([z.string(), z.enum(['application', 'library']), z.string()])
  .parse(process.argv.slice(2));

const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', type];
// A library's folder has no installed packages and no lock file.
const isLocked = existsSync(path.join(folder, 'package-lock.json'));
const printed = execFileSync('npm', [...args, ...(isLocked ? ['--package-lock-only'] : [])], {
  cwd: folder,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const { name } = z.object({ name: z.string() }).parse(read('package.json'));
const bill = billOf(npmBill.parse(JSON.parse(printed)), {
  name,
  lock: isLocked ? read('package-lock.json') : undefined,
});
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
