/**
 * A step whose lease lapsed so often with a call begun is a suspect: it may kill the worker that calls for it. A worker
 * calls for one suspect at a time, so that none is blamed for what another one did.
 */
export const aloneFromLapses = 2;
