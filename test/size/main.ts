import path from 'node:path';
import { measureInstall } from './install-size.ts';

/**
 * `npm run check:size`: what `npm ci` installs for a contributor grows only with this limit
 * (docs/decisions/0005-code-base-and-its-checks.md). Other platforms have other binaries: there the size is only printed.
 */
const limitMib = 425;
const displayed = 12;

const { bytes, packages } = measureInstall(path.join(import.meta.dirname, '../../node_modules'));
const isMeasured = process.platform === 'linux' && process.arch === 'x64';
process.stdout.write(`npm ci brought ${mib(bytes)} MiB${isMeasured ? ` of ${limitMib}` : ''}\n`);

if (isMeasured && bytes > limitMib * 2 ** 20) {
  const largest = packages.slice(0, displayed).map((each) => `  ${mib(each.bytes).padStart(4)}  ${each.name}`);
  process.stderr.write(`That is too much. A second version of a package, or one that few need? The largest:\n`);
  process.stderr.write(`${largest.join('\n')}\n`);
  process.exitCode = 1;
}

function mib(size: number): string {
  return Math.ceil(size / 2 ** 20).toFixed(0);
}
