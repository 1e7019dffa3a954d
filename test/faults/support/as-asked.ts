/** Whether faults last, and runs are as large, as the table of faults asks: hours in all, for the nightly run. */
export const isAsAsked = process.env['MUSTER_TESTS'] === 'nightly';
