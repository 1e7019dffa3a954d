/** True if durations of faults and sizes of runs follow the table of faults: hours in all, for the nightly run. */
export const isFullScale = process.env['MUSTER_TESTS'] === 'nightly';
