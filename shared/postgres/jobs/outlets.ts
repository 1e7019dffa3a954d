/** Id of the outlet that a row of `jobs` is called through: its endpoint, or else its client. */
export const outletOf = (row: string) => `coalesce(${row}.endpoint, ${row}.client)`;
