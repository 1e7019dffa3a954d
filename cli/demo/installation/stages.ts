import { duration } from '../../show/numbers.ts';
import { createPaint } from '../../show/paint.ts';
import type { Terminal } from '../../frame/terminal.ts';

/** Display of the preparation steps, one line each. Progress within a step is shown only in a terminal. */
export interface Stages {
  /** @param work returns the text of the finished line; `report` shows progress meanwhile */
  run<Result>(name: string, work: (report: (line: string) => void) => Promise<Staged<Result>>): Promise<Result>;
}

export interface Staged<Result> {
  result: Result;
  outcome: string;
}

const nameWidth = 22;

export function createStages(terminal: Terminal, nowMs: () => number): Stages {
  const paint = createPaint(terminal.colours.notes);

  function underWay(name: string, what: string): void {
    const line = `  … ${name.padEnd(nameWidth)} ${what}`;
    if (terminal.live) terminal.redraw([paint.faint(line.slice(0, terminal.columns - 1))]);
    else if (what !== '') terminal.note(`${line}\n`);
  }

  function end(line: string): void {
    if (terminal.live) terminal.redraw([]);
    terminal.note(line);
  }

  return {
    run: async (name, work) => {
      const beganMs = nowMs();
      underWay(name, '');
      try {
        const { result, outcome } = await work((line) => underWay(name, line));
        const took = paint.faint(`(${duration((nowMs() - beganMs) / 1000)})`);
        end(`  ${paint.good('✔')} ${name.padEnd(nameWidth)} ${outcome} ${took}\n`);
        return result;
      } catch (error) {
        end(`  ${paint.bad('✖')} ${name}\n`);
        throw error;
      }
    },
  };
}
