/**
 * Number of expired leases with a begun call from which a step is suspect: it may kill the worker that calls it. A
 * worker calls only one suspect at a time, so that no step is blamed for another one.
 */
export const aloneFromLapses = 2;

/**
 * Value instead of a number of lapses: no lease with a begun call has expired. The ledger records the next call before
 * it begins, so an expiry without that record does not count as a lapse.
 */
export const noneBegun = -1;
