import type uPlot from 'uplot';
import { formatRate } from '../words/numbers.ts';
import type { ChartColours } from './chart-colours.ts';

export interface RateMark {
  atMs: number;
  /** Label of two or three words, such as `pace changed`. */
  words: string;
}

const font = '11px Inter, system-ui, sans-serif';

/** Maximum marks: more would cover the line. The list of events beside the chart has all of them. */
const maxMarks = 3;

/** Draws a dashed line at the time of each event, and the labels above, each on its own line. */
export function drawMarks(plot: uPlot, marks: readonly RateMark[], colours: ChartColours): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const [from, to] = [plot.scales['x']?.min ?? 0, plot.scales['x']?.max ?? 0];
  const visible = marks.filter(({ atMs }) => atMs / 1000 >= from && atMs / 1000 <= to).slice(-maxMarks);
  ctx.save();
  ctx.font = scaled(font, ratio);
  for (const [index, { atMs, words }] of visible.entries()) {
    const x = Math.round(plot.valToPos(atMs / 1000, 'x', true));
    const top = bbox.top - (30 - index * 12) * ratio;
    ctx.strokeStyle = colours.mark;
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    const isRoomBefore = x - bbox.left > ctx.measureText(words).width + 8 * ratio;
    ctx.textAlign = isRoomBefore ? 'right' : 'left';
    ctx.textBaseline = 'middle';
    outlined(ctx, words, x + (isRoomBefore ? -4 : 4) * ratio, top + 4 * ratio, colours.mark, colours.surface);
  }
  ctx.restore();
}

export function drawNow(plot: uPlot, colours: ChartColours): void {
  const [times, values] = plot.data;
  const [at, value] = [times.at(-1), values?.at(-1)];
  if (at === undefined || typeof value !== 'number') return;
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const [x, y] = [plot.valToPos(at, 'x', true), plot.valToPos(value, 'y', true)];
  ctx.save();
  ctx.beginPath();
  ctx.arc(x, y, 3.5 * ratio, 0, 2 * Math.PI);
  ctx.fillStyle = colours.line;
  ctx.strokeStyle = colours.surface;
  ctx.lineWidth = 1.5 * ratio;
  ctx.fill();
  ctx.stroke();
  ctx.font = scaled(`600 ${font}`, ratio);
  ctx.textBaseline = 'middle';
  const words = `${formatRate(value)}/s`;
  // If there is no room beside the dot, the label is above it, so that nothing is cut off.
  const isRoomAtRight = x + 8 * ratio + ctx.measureText(words).width <= ctx.canvas.width;
  ctx.textAlign = isRoomAtRight ? 'left' : 'right';
  const [atX, atY] = isRoomAtRight ? [x + 8 * ratio, y] : [ctx.canvas.width, y - 14 * ratio];
  outlined(ctx, words, atX, atY, colours.strong, colours.surface);
  ctx.restore();
}

function outlined(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, colour: string, around: string) {
  ctx.lineJoin = 'round';
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.strokeStyle = around;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

/** Scales lengths from CSS pixels to the pixels of the canvas. */
function scaled(css: string, ratio: number): string {
  return css.replace(/(\d+)px/, (_, size: string) => `${Number(size) * ratio}px`);
}
