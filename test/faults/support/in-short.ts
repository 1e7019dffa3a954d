/** True in the short set of `npm test` (vitest.config.ts): it leaves out the scenarios that take a minute or more. */
export const isInShort = process.env['MUSTER_FAULTS'] === 'in-short';
