import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Output of a command: data goes to `out`, everything else to `note`. */
export interface Terminal {
  out(text: string): void;
  /** Writes data at the speed of the reader. Rejects if writing or the source fails. */
  stream(texts: AsyncIterable<string>): Promise<void>;
  /** Writes whole lines above the redrawn area. */
  note(text: string): void;
  /** True if notes go to a terminal; only then is anything redrawn. */
  readonly live: boolean;
  /** Redraws lines, at most `columns` wide, over the previous ones; an empty list removes them. */
  redraw(lines: readonly string[]): void;
  /** Keeps the drawn lines and ends redrawing. */
  settle(): void;
  /** Colour support of data and of notes. */
  readonly colours: { out: boolean; notes: boolean };
  /** Width of the terminal with the notes; may change at any time. */
  readonly columns: number;
  /** Width of the terminal with the data; infinite if the output is not a terminal. */
  readonly outColumns: number;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearToEnd = '\u001b[J';

export function createTerminal(environment: NodeJS.ProcessEnv): Terminal {
  const { stdout, stderr } = process;
  // A reader that stops early, such as `head`, is not an error.
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
      // One write avoids flicker.
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

/** Implements https://no-color.org. */
function wantsColour(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean {
  const refused = environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '';
  return stream.isTTY && !refused && environment['TERM'] !== 'dumb';
}
