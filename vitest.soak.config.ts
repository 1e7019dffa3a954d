import { defineConfig } from 'vitest/config';

/** `npm run soak`: on real processes of its own, for as long as asked. Apart from the tests, whose projects are all run by name. */
export default defineConfig({
  test: {
    name: 'soak',
    include: ['test/soak/soak.run.ts'],
    globalSetup: ['./test/faults/support/figures.setup.ts'],
    fileParallelism: false,
    hookTimeout: 120_000,
  },
});
