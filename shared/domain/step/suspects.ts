/**
 * Number of expired leases with a begun call from which a step is suspect: it may kill the worker that calls it. A
 * worker calls only one suspect at a time, so that no step is blamed for another one.
 */
export const aloneFromLapses = 2;

/**
 * Stored instead of 0 lapses for a step whose next call is recorded before it begins. If a lease expires without this
 * record, no call had begun, and the expiry does not count as a lapse.
 */
export const noneBegun = -1;
