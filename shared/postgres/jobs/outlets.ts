/** Id of the outlet that a row of `jobs` is called through: its endpoint, or `default` with the id of its client. */
export const outletOf = (row: string) => `coalesce(${row}.endpoint, ${row}.client)`;
