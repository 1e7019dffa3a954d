/** SQLSTATE classes of faults that pass: connection, transaction rollback, resources, lock, operator, I/O. */
export const passingClasses: readonly string[] = ['08', '40', '53', '55', '57', '58'];
