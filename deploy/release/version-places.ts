import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files that contain the version of Muster; each match of the pattern is exactly the version. */
const places: Readonly<Record<string, RegExp>> = {
  'package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'package-lock.json': /(?<=^ {2}"version": ")[^"]+|(?<=^ {4}"": \{\n {6}"name": "muster",\n {6}"version": ")[^"]+/gm,
  'sdk/package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'sdk/python/pyproject.toml': /(?<=^version = ")[^"]+/gm,
  // Two blanks match only the version of the project itself: versions of dependencies are indented further.
  'sdk/java/pom.xml': /(?<=^ {2}<version>)[^<]+/gm,
  'deploy/Dockerfile': /(?<=org\.opencontainers\.image\.version=")[^"]+/g,
  'deploy/helm/muster/Chart.yaml': /(?<=^(?:version|appVersion): )\S+/gm,
  // Expected output of the chart's tests.
  'test/chart/rendered/one-region.yaml': /(?<=image: muster:)\S+/g,
  'test/chart/rendered/second-region.yaml': /(?<=image: muster:)\S+/g,
};

export interface FoundVersion {
  file: string;
  version: string | undefined;
}

/** Returns the version in each file; several entries if a file contains different versions. */
export function findVersions(root: string): FoundVersion[] {
  return Object.entries(places).flatMap(([file, pattern]): FoundVersion[] => {
    const found = new Set(readFileSync(path.join(root, file), 'utf8').match(pattern));
    return found.size === 0 ? [{ file, version: undefined }] : [...found].map((version) => ({ file, version }));
  });
}

export function writeVersion(root: string, version: string): void {
  for (const [file, pattern] of Object.entries(places)) {
    const full = path.join(root, file);
    writeFileSync(full, readFileSync(full, 'utf8').replace(pattern, version));
  }
}
