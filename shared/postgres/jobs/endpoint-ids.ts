/** Id of the endpoint that a row of `jobs` is called through: its endpoint, or `default` with the id of its client. */
export const endpointIdOf = (row: string) => `coalesce(${row}.endpoint, ${row}.client)`;
