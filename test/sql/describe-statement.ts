import type { Client, Connection, Submittable } from 'pg';

export interface Described {
  /** The types of its parameters. */
  params: number[];
  columns: { name: string; type: number }[];
}

/**
 * Asks Postgres to describe a statement without running it.
 * @throws the error of Postgres if it cannot
 */
export function describeStatement(client: Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    client.query(new Description(text, resolve, reject));
  });
}

interface ParameterDescription {
  dataTypeIDs: number[];
}

interface RowDescription {
  fields: { name: string; dataTypeID: number }[];
}

/** Parse, Describe and Sync of the extended protocol. `pg` hands the answers to the methods of these names. */
class Description implements Submittable {
  #params: number[] = [];
  #columns: Described['columns'] = [];
  readonly #text: string;
  readonly #resolve: (described: Described) => void;
  readonly #reject: (error: Error) => void;

  constructor(text: string, resolve: (described: Described) => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    const onParams = ({ dataTypeIDs }: ParameterDescription) => (this.#params = dataTypeIDs);
    connection.once('parameterDescription', onParams);
    connection.once('readyForQuery', () => connection.off('parameterDescription', onParams));
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve({ params: this.#params, columns: this.#columns });
  }
}
