import pg from 'pg';

const { builtins } = pg.types;

/** Arrays of boolean, int2, int4, text, int8, float8, timestamptz, uuid, regtype, bytea, numeric and jsonb. */
export const arrays: readonly number[] = [1000, 1005, 1007, 1009, 1016, 1022, 1185, 2951, 2211, 1001, 1231, 3807];

/** Types of JSON, which may have any shape. */
export const json: readonly number[] = [builtins.JSON, builtins.JSONB];
