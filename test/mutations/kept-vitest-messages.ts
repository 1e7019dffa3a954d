import { z } from 'zod';

const testFile = z.object({ project: z.string(), file: z.string() });

/** `changedFiles` are paths in the tree of the sources that were changed before this run. */
export const runRequest = z.object({ changedFiles: z.array(z.string()), tests: z.array(testFile) });

/** `failedTest` is null if an error outside of any test file failed the run. */
export const runAnswer = z.object({ passed: z.boolean(), failedTest: testFile.nullable() });

export type TestFile = z.output<typeof testFile>;
export type RunRequest = z.output<typeof runRequest>;
export type RunAnswer = z.output<typeof runAnswer>;
