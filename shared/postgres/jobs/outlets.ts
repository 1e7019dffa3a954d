/**
 * Id of the outlet that a row of `jobs` is called through: its endpoint, or its client if the row names no endpoint.
 */
export const outletOf = (row: string) => `coalesce(${row}.endpoint, ${row}.client)`;
