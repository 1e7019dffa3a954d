/** What a row of `jobs` is called through: its endpoint, or its client where it names none. */
export const outletOf = (row: string) => `coalesce(${row}.endpoint, ${row}.client)`;
