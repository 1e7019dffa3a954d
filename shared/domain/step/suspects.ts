/**
 * A step whose lease lapsed so often with a call begun is a suspect: it may kill the worker that calls for it. A worker
 * calls for one suspect at a time, so that none is blamed for what another one did.
 */
export const aloneFromLapses = 2;

/**
 * Stands in place of a number of lapses: no lease has lapsed with a call begun, and a call that begins is written down
 * first, so that a lapse without that is none.
 */
export const noneBegun = -1;
