/** Where a command writes: data to `out`, everything else to `note`. */
export interface Terminal {
  out(text: string): void;
  note(text: string): void;
  /** Whether notes go to a person who watches: only then are lines drawn over. */
  readonly live: boolean;
  /** Whether `out` is a terminal, and whether colours are welcome there and among the notes. */
  readonly colours: { out: boolean; notes: boolean };
  /** Of whoever reads the notes; may change while they read. */
  readonly columns: number;
}

export function createTerminal(environment: NodeJS.ProcessEnv): Terminal {
  const { stdout, stderr } = process;
  // A reader that has seen enough, such as `head`, is no error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    live: stderr.isTTY && environment['TERM'] !== 'dumb',
    colours: { out: wantsColour(stdout, environment), notes: wantsColour(stderr, environment) },
    get columns() {
      return stderr.isTTY ? stderr.columns : 100;
    },
  };
}

/** As https://no-color.org asks. */
function wantsColour(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean {
  const refused = environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '';
  return stream.isTTY && !refused && environment['TERM'] !== 'dumb';
}
