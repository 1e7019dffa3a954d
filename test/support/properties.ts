import fc from 'fast-check';

const { MUSTER_SEED: seed = '20261122' } = process.env;

/**
 * Property tests try the same values in every run, on every machine: what failed fails again, and a change is judged by
 * what it changes. `MUSTER_SEED=<integer> npm run test:unit` tries others.
 */
fc.configureGlobal({ seed: seed === 'random' ? Date.now() % 0x7fffffff : Number(seed) });

export { fc };
