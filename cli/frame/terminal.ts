import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Where a command writes: data to `out`, everything else to `note`. */
export interface Terminal {
  out(text: string): void;
  /** Writes data as it comes, no faster than it is read. Fails when it cannot be written or the texts fail. */
  stream(texts: AsyncIterable<string>): Promise<void>;
  /** Whole lines. They go above what is being redrawn. */
  note(text: string): void;
  /** Whether notes go to a person who watches: only then is anything redrawn. */
  readonly live: boolean;
  /**
   * Draws lines below the notes, over the ones drawn before; none takes them away. Lines must not be wider than
   * `columns`.
   */
  redraw(lines: readonly string[]): void;
  /** Leaves what was drawn standing. */
  settle(): void;
  /** Whether colours are welcome among data and among notes. */
  readonly colours: { out: boolean; notes: boolean };
  /** Of the terminal that shows the notes; may change while they read. */
  readonly columns: number;
  /** Of the terminal that shows the data; without bound where that is a program. */
  readonly outColumns: number;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearToEnd = '\u001b[J';

export function createTerminal(environment: NodeJS.ProcessEnv): Terminal {
  const { stdout, stderr } = process;
  // A reader that has seen enough, such as `head`, is no error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  let drawn: readonly string[] = [];
  const erase = () => (drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r${clearToEnd}`);
  const picture = () => drawn.map((line) => `${line}\n`).join('');
  process.on('exit', () => drawn.length > 0 && stderr.write(showCursor));

  return {
    out: (text) => void stdout.write(text),
    stream: (texts) => pipeline(Readable.from(texts), stdout, { end: false }),
    note: (text) => void stderr.write(`${erase()}${text}${picture()}`),
    live: stderr.isTTY && environment['TERM'] !== 'dumb',
    redraw: (lines) => {
      const erased = erase();
      drawn = lines;
      // In one write, so that no half picture is ever seen.
      stderr.write(`${lines.length > 0 ? hideCursor : showCursor}${erased}${picture()}`);
    },
    settle: () => {
      if (drawn.length === 0) return;
      drawn = [];
      stderr.write(showCursor);
    },
    colours: { out: wantsColour(stdout, environment), notes: wantsColour(stderr, environment) },
    get columns() {
      return stderr.isTTY ? stderr.columns : 100;
    },
    get outColumns() {
      return stdout.isTTY ? stdout.columns : Infinity;
    },
  };
}

/** As https://no-color.org asks. */
function wantsColour(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean {
  const refused = environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '';
  return stream.isTTY && !refused && environment['TERM'] !== 'dumb';
}
