/** A row read from JSON, where times are strings. */
export type InJson<Row> = { [Field in keyof Row]: TextOfDate<Row[Field]> };

/** A shape whose times are still dates, before they are formatted. */
export type WithDates<Shape, Times extends keyof Shape> = Omit<Shape, Times> & {
  [Time in Times]: Extract<Shape[Time], null> | Date;
};

type TextOfDate<Value> = Value extends Date ? string : Value;

export function withDates<Row extends { createdAt: string; updatedAt: string }>(row: Row) {
  return { ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) };
}

/** Returns the row of a statement that always returns one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that answers one row has answered none');
  return row;
}
