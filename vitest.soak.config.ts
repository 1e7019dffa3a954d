import { defineConfig } from 'vitest/config';

/** Configuration of `npm run soak`, which runs on its own real processes for the requested time. */
export default defineConfig({
  test: {
    name: 'soak',
    include: ['test/soak/soak.run.ts'],
    globalSetup: ['./test/faults/support/figures.setup.ts'],
    fileParallelism: false,
    hookTimeout: 120_000,
  },
});
