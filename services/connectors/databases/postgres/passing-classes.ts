/**
 * SQLSTATE classes of temporary faults: connection, transaction rollback, resources, lock, operator intervention, I/O.
 */
export const passingClasses: readonly string[] = ['08', '40', '53', '55', '57', '58'];
