/** A row as it comes inside of JSON, where times are texts. */
export type InJson<Row> = { [Field in keyof Row]: TextOfDate<Row[Field]> };

/** A row that is shown as it is, but for its times, which are no texts yet. */
export type WithDates<Shape, Times extends keyof Shape> = Omit<Shape, Times> & {
  [Time in Times]: Extract<Shape[Time], null> | Date;
};

type TextOfDate<Value> = Value extends Date ? string : Value;

/** When a row was written, read out of JSON. */
export function withDates<Row extends { createdAt: string; updatedAt: string }>(row: Row) {
  return { ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) };
}

/** Of a statement that always answers one row. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that answers one row has answered none');
  return row;
}
