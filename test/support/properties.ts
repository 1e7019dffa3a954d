import fc from 'fast-check';

const { MUSTER_SEED: seed = '20261122' } = process.env;

/**
 * Property tests use the same values in every run on every machine, so that failures can be repeated and only a change
 * of the code changes results. `MUSTER_SEED=<integer> npm run test:unit` uses other values.
 */
fc.configureGlobal({ seed: seed === 'random' ? Date.now() % 0x7fffffff : Number(seed) });

export { fc };
