import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { createPaint } from '../show/paint.ts';
import { endedUsers, renderBars, renderProgressLine, type ProgressView } from './progress.ts';
import { createRateMeter, type RateMeter } from './rate-meter.ts';
import { cellsOf, cutTo } from '../show/text.ts';
import type { Terminal } from '../frame/terminal.ts';

/** Display of a run's progress: redrawn bars on a terminal, otherwise a line per second. */
export interface ProgressDisplay {
  show(progress: RunProgress): void;
  end(): void;
}

const secondsPerLine = 1;

export function createProgressDisplay(terminal: Terminal, nowMs: () => number): ProgressDisplay {
  const beganMs = nowMs();
  const meters = new Map<number, RateMeter>();
  const draw = terminal.live ? drawBars(terminal) : drawLines(terminal);

  function viewOf(progress: RunProgress): ProgressView {
    const atMs = nowMs();
    const rates = progress.steps.map((line) => {
      const meter = meters.get(line.step) ?? createRateMeter();
      meters.set(line.step, meter);
      meter.add(atMs, endedUsers(line));
      return meter.perSecond();
    });
    return { progress, rates, elapsedSeconds: (atMs - beganMs) / 1000 };
  }

  return { show: (progress) => draw.draw(viewOf(progress)), end: () => draw.end() };
}

interface Drawing {
  draw(view: ProgressView): void;
  end(): void;
}

function drawBars(terminal: Terminal): Drawing {
  const paint = createPaint(terminal.colours.notes);
  const plain = createPaint(false);
  return {
    draw: (view) => {
      const { columns } = terminal;
      const lines = renderBars(view, columns, plain);
      const fits = lines.every((line) => cellsOf(line) <= columns);
      // Wrapped lines could not be redrawn. Lines are truncated without colours, as colour codes must stay whole.
      terminal.redraw(fits ? renderBars(view, columns, paint) : lines.map((line) => cutTo(line, columns)));
    },
    end: () => terminal.settle(),
  };
}

function drawLines(terminal: Terminal): Drawing {
  let nextSecond = 0;
  let last: ProgressView | undefined;
  return {
    draw: (view) => {
      last = view;
      if (view.elapsedSeconds < nextSecond) return;
      nextSecond = Math.floor(view.elapsedSeconds) + secondsPerLine;
      terminal.note(`${renderProgressLine(view)}\n`);
      last = undefined;
    },
    end: () => {
      if (last) terminal.note(`${renderProgressLine(last)}\n`);
    },
  };
}
