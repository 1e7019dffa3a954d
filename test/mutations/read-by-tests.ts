/** Files and folders that tests of the unit, simulation and integration projects read. */
export const readByTests = [
  'services',
  'shared',
  'cli',
  'sdk',
  'benchmarks',
  'test',
  'migrations',
  'deploy',
  'docs',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
];
